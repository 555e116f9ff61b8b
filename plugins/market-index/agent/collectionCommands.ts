import type { Command, Slot } from "#core/plugin/Command.ts";

const OF = "(of|for|on|in|at|by|with|from)";
const SPAN = "[(in|over|for)] [the] [(last|past|this)]";
const HOUR = `${SPAN} [(hour|1h)]`;
const NEWEST =
	"(last|latest|recent|newest|new|biggest|highest|top|[most] expensive|cheapest|lowest)";
const FLOOR = "(floor|fp|flr|floorprice)";
const MOST = "(top|unique|biggest|largest)";
const HAPPENED =
	"(up|down|moving|moved|move|pumping|pumped|pump|dumping|dumped|dump|dropping|dropped|drop|" +
	"crashing|crashed|nuking|nuked|change|changed|check|go up|gone up|going up|go down|gone down|going down|" +
	"holding|at|sitting at|sitting)";
const window: Slot = { kind: "window" };

/** What people type to ask about one collection. Each first form is the one that is printed. */
export const collectionCommands: readonly Command[] = [
	about({
		name: "floor",
		tool: "read_floor",
		forms: [
			"floor {collection}",
			`${FLOOR} [price] [check] [${OF}] {collection} [[in] (eth|usd|dollars)]`,
			`${FLOOR} [price] is {collection} [at]`,
			`{collection} (${FLOOR}|[(entry|min|minimum)] price) [price] [(24h|today)] [${HAPPENED}] [(24h|today)] [[in] (eth|usd|dollars)]`,
			`has {collection} ${FLOOR} ${HAPPENED}`,
			`(how is|hows|how's|how low is|how high is) [the] {collection} (${FLOOR}|price) [price] [(doing|looking|${HAPPENED})]`,
			"{collection} (pumping|dumping|mooning|ripping|tanking|crashing|nuking|pump|dump|up|down|up or down) [(24h|today)]",
			"{collection} [(trading|sitting|going)] (at|for)",
			"{collection} (cheapest|worth)",
			"how much [eth] (is|are|for) [(a|one|1)] {collection} [(going for|worth)]",
			`how much (is|for) [the] (${FLOOR}|cheapest|lowest) [price] [${OF}] {collection}`,
			"[how much] [eth] (does|do|would) [a] {collection} (cost|go for)",
			"[(a|one)] {collection} cost",
			"how much to (buy|get|ape|buy in) [into] [a] {collection}",
			"how (cheap|expensive) (is|are) {collection}",
			`how far [down] is {collection} ${FLOOR} [down]`,
			"where (is|are) {collection} [(trading|at|sitting)]",
			`(cheapest|lowest|entry|min|minimum) [(price|ask|listing|one|entry)] [${OF}] {collection}`,
			"(cheapest|lowest) {collection} (listed|listing|available)",
			`(price|ask) [check] [${OF}] {collection}`,
		],
		topic: {
			words: words(
				"floor, floors, price action, listed at, listed for, pay for, minimum, fp, flr, floorprice, floor price, price, prices, priced, pricing, " +
				"cost, costs, cheapest, lowest, bottom, entry, worth, value, valued, how low, " +
				"how high, how cheap, how expensive, how much, going for, go for, goes for, " +
				"trading at, trades at, sitting at, ask, lowest ask, cheapest ask, lowest listing, " +
				"cheapest listing, cheapest listed, cheapest … listed, lowest … listed, pumping, " +
				"pumped, pump, dumping, dumped, dump, tanking, tanked, mooning, mooned, nuking, " +
				"nuked, rekt, crashing, crashed, up, down",
			),
		},
		summary: "The lowest ask of a collection, and its change in 24 hours.",
		examples: ["floor kiln-folk", "fp of tidal cats on base", "how much is kiln folk"],
	}),
	about({
		name: "volume",
		tool: "read_volume",
		slots: { window },
		forms: [
			"volume {collection} [{window}]",
			`[total] (volume|vol) [(traded|done)] [${OF}] {collection} ${SPAN} [{window}]`,
			`[total] (volume|vol) ${SPAN} {window} [${OF}] {collection}`,
			`(volume|vol) (is|did|has|does) {collection} (doing|do|done|have|had) ${SPAN} [{window}]`,
			`{window} (volume|vol) [${OF}] {collection}`,
			`{collection} [total] (volume|vol) ${SPAN} [{window}]`,
			"{collection} {window} (volume|vol)",
			`(how is|hows|how's) [the] {collection} (volume|vol) [(looking|doing)] ${SPAN} [{window}]`,
			`how much [(volume|vol)] (has|did|does|is) {collection} (done|do|doing|have|had|traded|trade) ${SPAN} [{window}]`,
			"how much (has|did) {collection} (done|do) [{window}] in (volume|vol)",
			`how much (volume|vol) [${OF}] {collection} ${SPAN} [{window}]`,
			`how (much|many) (eth|money) (was|is|has been|got) [been] (traded|spent) [${OF}] {collection} ${SPAN} [{window}]`,
			`how (much|many) (eth|money) (traded|spent) [${OF}] {collection} ${SPAN} [{window}]`,
		],
		topic: {
			words: words(
				"traded … eth, eth traded, eth spent, eth done, volume, volumes, vol, vols, turnover, traded volume, trading volume, sales volume, " +
				"volume traded, how much eth … trade, how much eth … traded, how much eth … do, " +
				"how much eth … done, how much … traded, how much … trade, how much … volume, " +
				"how much … vol",
			),
			over: ["floor", "sales", "sold", "collection"],
		},
		summary: "What a collection's sales come to in a window; 24 hours unless one is named.",
		examples: ["volume kiln-folk 7d", "vol of tidal cats", "24h volume of kiln folk"],
	}),
	about({
		name: "sales",
		tool: "read_sales",
		forms: [
			"sales {collection}",
			`[${NEWEST}] (sales|sale|trade|trades|buys) [${OF}] {collection}`,
			`${NEWEST} {collection} (sales|sale|trades|buys)`,
			`{collection} [${NEWEST}] (sales|sale|trades|buys)`,
			"[how many] {collection} [(have|were|got|has|was|did)] [been] (sold|sell|traded)",
			"how many sales [(of|for|on|in|has|did|does)] {collection} [(have|had|do)]",
			`how many (sold [${OF}] {collection}|{collection} sales)`,
			"(what|how much) did [the] last {collection} (sell|go) for",
			"{collection} last [(sold|sale|traded)] price",
			"{collection} [recent] (activity|action)",
			`[recent] (activity|action) [${OF}] {collection}`,
			"{collection} (avg|average|median) (price|sale) [(24h|today)]",
			`(avg|average|median) (price|sale) [(24h|today)] [${OF}] {collection}`,
			"what did {collection} last (sell|go) for",
			"(who|anyone) (bought|buying) {collection}",
			"(is|are) (anyone|people) buying {collection}",
		],
		topic: {
			words: words(
				"action, moved, picking up, picked up, people paying, ppl paying, last … sell, sell at, sales, sale, sold, sell … for, sells, selling, trades, trade, traded, trading, " +
				"buys, bought, buying, buyers, purchases, purchased, flips, flipped, last … go for, " +
				"last … went for, last … got, activity, transactions, txs, average price, avg price, " +
				"median price, changed hands",
			),
			over: ["floor", "collection"],
		},
		summary: "A collection's last sales, and its prices of 24 hours.",
		examples: ["sales kiln-folk", "last sale of tidal cats", "kiln folk sales"],
	}),
	about({
		name: "sold",
		tool: "read_volume",
		slots: { window },
		forms: [
			"sold {collection} {window}",
			`[${NEWEST}] (sales|sale|trades|buys|sold) [${OF}] {collection} ${SPAN} {window}`,
			`${NEWEST} {collection} (sales|sale|trades|buys) ${SPAN} {window}`,
			`{collection} [${NEWEST}] (sales|sale|trades|buys) ${SPAN} {window}`,
			"{collection} {window} (sales|sold)",
			"{window} sales (of|for|in) {collection}",
			`(sales|sold) ${SPAN} {window} [(of|for|in)] {collection}`,
			`[how many] {collection} [(have|were|got|has|was|did)] [been] (sold|sell|traded) ${SPAN} {window}`,
			`how many sales [(of|for|on|in|has|did|does)] {collection} [(have|had|do)] ${SPAN} {window}`,
			`how many (sold [${OF}] {collection}|{collection} sales) ${SPAN} {window}`,
			`(who|anyone) (bought|buying) {collection} ${SPAN} {window}`,
			`(is|are) (anyone|people) buying {collection} ${SPAN} {window}`,
		],
		topic: {
			words: words(
				"action, moved, picking up, picked up, people paying, ppl paying, last … sell, sell at, sales, sale, sold, sell … for, sells, selling, trades, trade, traded, trading, " +
				"buys, bought, buying, buyers, purchases, purchased, flips, flipped, last … go for, " +
				"last … went for, last … got, activity, transactions, txs, average price, avg price, " +
				"median price, changed hands",
			),
			over: ["floor", "sales", "collection"],
		},
		summary: "How many of a collection were sold in a window, and for how much together.",
		examples: ["sold kiln-folk 1h", "how many tidal cats sold today", "kiln folk sales last hour"],
	}),
	about({
		name: "mints",
		tool: "read_mints",
		forms: [
			"mints {collection}",
			`[(last|latest|recent)] mints [${OF}] {collection} ${HOUR}`,
			`mint (price|cost|count|progress) [${OF}] {collection}`,
			`(last|latest|recent) {collection} mints ${HOUR}`,
			`{collection} [(last|latest|recent)] mints ${HOUR}`,
			"{collection} mint (price|cost|count|progress)",
			"{collection} [a] free mint",
			"{collection} minted (count|amount|number|total|so far)",
			`how many minted [${OF}] {collection}`,
			`how many left [to mint] [${OF}] {collection}`,
			"how fast is {collection} minting",
			"how many {collection} [(are|is)] left [to mint]",
			`how many {collection} [(have|were|got|has|was|are)] [been] minted [so far] ${HOUR}`,
			`how many mints [(of|for|on|in|has|did|does)] {collection} [(have|had)] ${HOUR}`,
			`how many people minted {collection} ${HOUR}`,
			"how much (is|was|for) [(a|the)] {collection} mint",
			"how much to mint [a] {collection}",
		],
		topic: {
			words: words(
				"mint, mints, minted, mint price, mint cost, mint count, mint progress, mint supply, " +
				"supply minted, how many … minted, how much … mint, how many … mints, minted so far, " +
				"left to mint, how many … left, how far … mint, percent minted, percent … minted, percentage … minted, % … minted, mint speed, " +
				"mint rate, free mint, minters",
			),
			over: ["floor", "sales", "sold", "volume", "collection"],
		},
		summary: "How much of a collection was minted, how fast, and for how much.",
		examples: ["mints kiln-folk", "mint price of tidal cats", "how many kiln folk were minted"],
	}),
	about({
		name: "lifecycle",
		tool: "read_lifecycle",
		forms: [
			"lifecycle {collection}",
			`(lifecycle|status|phase|stage) [${OF}] {collection}`,
			"{collection} (lifecycle|status|phase|stage)",
			"[which] (stage|phase) is {collection} in",
			"{collection} [(still|already)] (minting|mintable|minted|revealed) [out] [(yet|already)]",
			"{collection} [(still|already)] (sold|sell|mint) out [(yet|already)]",
			"{collection} reveal [(yet|already|date|time)]",
			"{collection} [still] (live|mint live)",
			`(reveal|mint) (date|time) [${OF}] {collection}`,
			"{collection} mint (date|time)",
			"(reveal|mint) of {collection} [(done|over|finished|live|out)]",
			"(has|did) {collection} (mint|minted|revealed|reveal|sell|sold) [out] [(yet|already)]",
			"(when|where|wen) (is|was|does|did|do) {collection} (mint|minting|minted|reveal|revealed) [out]",
			"(when|wen|when's|whens) {collection} (reveal|mint) [date]",
			"(when|wen) (reveal|mint) {collection}",
			"{collection} mint [(status|[still] (live|open|on)|over|done|finished|closed)]",
			"(can i|can you|can u) still mint {collection}",
		],
		topic: {
			words: words(
				"lifecycle, status, phase, stage, minting, minted out, mint out, mints out, " +
				"sold out, sell out, sells out, sellout, reveal, reveals, revealed, revealing, " +
				"unrevealed, mint live, mint open, mint over, mint done, mint closed, mint date, " +
				"mint start, mint starting, mint ended, when … mint, wen … mint, still mint, " +
				"secondary",
			),
			over: ["floor", "sales", "sold", "volume", "mints", "collection", "order_book"],
		},
		summary: "The stage that a collection is in: minting, minted out, secondary; revealed or not.",
		examples: ["lifecycle kiln-folk", "is tidal cats minted out", "kiln folk revealed yet"],
	}),
	about({
		name: "order_book",
		tool: "read_order_book",
		forms: [
			"orderbook {collection}",
			`(book|orderbook|order book) [${OF}] {collection}`,
			"{collection} (book|orderbook|order book) [looking]",
			"(how is|hows|how's) [the] {collection} (book|orderbook|order book) [(looking|doing)]",
			`[(cheapest|lowest|new|latest)] (listings|asks|listed) [${OF}] {collection}`,
			"{collection} [(cheapest|lowest|new|latest)] (listings|asks|listed|for sale)",
			`for sale [${OF}] {collection}`,
			`[(top|best|highest|collection)] (offers|bids|offer|bid) [${OF}] {collection}`,
			"(top|best|highest) {collection} (offers|bids|offer|bid)",
			"{collection} [(top|best|highest|collection)] (offers|bids|offer|bid)",
			"(who is|whos|who's|are people|people) bidding [(on|for)] {collection}",
		],
		topic: {
			words: words(
				"orderbook, orderbooks, ob, order book, book, bids, bid, bidding, bidders, offer, " +
				"offers, asks, listing, listings, listed, for sale, on sale, up for sale, top bid, " +
				"best bid, highest bid, top offer, best offer, highest offer, wall … bid",
			),
			over: ["floor", "sales", "sold", "collection"],
		},
		summary: "A collection's cheapest listings and highest offers.",
		examples: ["orderbook kiln-folk", "best offer for tidal cats", "kiln folk listings"],
	}),
	about({
		name: "depth",
		tool: "read_depth",
		forms: [
			"depth {collection}",
			`[(market|bid|ask|book)] (depth|liquidity) [${OF}] {collection} [(book|orderbook)]`,
			"{collection} [(market|bid|ask)] (depth|liquidity) [(chart|check)]",
			"{collection} (liquid|illiquid|[(bid|buy|ask|sell)] (wall|walls))",
			`[(bid|ask)] (wall|walls) ${OF} {collection}`,
			"how (thin|thick|deep|liquid) (is|are) {collection} [(floor|book)]",
			"(bids|asks) (under|below|above) {collection}",
			"how (thin|thick|deep) is the (book|floor|orderbook) (on|of|for) {collection}",
		],
		topic: {
			words: words(
				"depth, liquidity, liquid, illiquid, thick, thin, deep, wall, walls, slippage, " +
				"bid wall, buy wall, ask wall, sell wall, listing wall, bid depth, ask depth, " +
				"order book depth, orderbook depth, book depth, floor depth, depth of … book",
			),
			over: ["floor", "sales", "sold", "collection", "order_book"],
		},
		summary: "How many units of a collection are asked and bid for at the best prices.",
		examples: ["depth kiln-folk", "market depth of tidal cats", "how liquid is kiln folk"],
	}),
	about({
		name: "traits",
		tool: "read_traits",
		forms: [
			"traits {collection}",
			`[(rarest|rare|best|top)] (traits|trait|attributes) [${OF}] {collection}`,
			"{collection} [(rarest|rare|best|top)] (traits|trait|attributes)",
			"(rarest|rare|best) {collection} (traits|trait|attributes)",
			"[(what|which)] (traits|attributes) (does|do) {collection} have",
			"[(what|which)] (traits|attributes) are (in|rare in|rarest in) {collection}",
			`(trait|traits) (floors|floor) [${OF}] {collection}`,
			"{collection} (trait|traits) (floors|floor|prices|price|rarity|rarities)",
			`traits [${OF}] {collection} with floors`,
			"(rarest|rare) {collection}",
			"{collection} (floor|floors) by trait",
			"list {collection} traits",
			`list traits [${OF}] {collection}`,
			"{collection} (trait|traits|attribute) (list|count|counts)",
		],
		topic: {
			words: words(
				"trait, traits, attribute, attributes, rarest, rarest traits, rare traits, " +
				"trait floor, trait floors, traits floor",
			),
			over: ["floor", "sales", "sold", "collection", "holders"],
		},
		summary: "A collection's traits with their counts and floors.",
		examples: ["traits kiln-folk", "trait floors of tidal cats"],
	}),
	about({
		name: "holders",
		tool: "read_holders",
		forms: [
			"holders {collection}",
			`[${MOST}] (holders|owners|whales) [${OF}] {collection}`,
			`${MOST} {collection} (holders|owners|whales)`,
			`{collection} [(${MOST}|how many)] (holders|owners|whales)`,
			`who (are|is) [the] [${MOST}] (holders|owners|whales) ${OF} {collection}`,
			`who (are|is) [the] [${MOST}] {collection} [${MOST}] (holders|owners|whales)`,
			"how many [unique] (holders|owners|wallets|people|ppl) (does|do|has) {collection} (have|got)",
			`how many [unique] (holders|owners) [(has|${OF})] {collection} [(have|has|got)]`,
			"how many [unique] (people|ppl|wallets|addresses) (hold|own|holding|have) {collection}",
			"(how many|of) {collection} (holders|owners)",
			"{collection} (holder|holders|owner) (distribution|concentration|breakdown|list)",
			`(holder|holders|owner) (distribution|concentration|breakdown|list) [${OF}] {collection}`,
			`(biggest|top) bag holders [${OF}] {collection}`,
			"{collection} (num|number of) (holders|owners)",
			"unique wallets (holding|in|of) {collection}",
			"who has [the] most {collection}",
			`num (holders|owners) [${OF}] {collection}`,
			"how concentrated is {collection}",
			"(whos|who's) holding {collection}",
			"who (holds|owns|is holding) [the most] {collection}",
			"(holder|owner|holders) count [(of|for)] {collection}",
			"{collection} (holder|owner|holders) count",
		],
		topic: {
			words: words(
				"holder, holders, hodlers, hodler, owner, owners, owned, whale, whales, hold, holds, " +
				"holding, own, owns, owning, bagholders, bag holders, bags, wallets … hold, wallets, " +
				"who has … most, distribution, concentration, concentrated",
			),
			over: ["floor", "collection"],
		},
		summary: "How many own a collection, and who owns most of it.",
		examples: ["holders kiln-folk", "who holds tidal cats", "how many holders does kiln folk have"],
	}),
	about({
		name: "token",
		tool: "read_token",
		slots: { token: { kind: "token" } },
		forms: [
			"token {token} of {collection}",
			"(token|rank|rarity) [of] {token} (of|in|from) {collection}",
			"[(token|rank|rarity|rarity rank|traits)] [(of|for)] {collection} {token} [(rank|rarity [rank]|traits|rare|owner|price)]",
			"[what] (rank|rarity) is {collection} {token}",
			"owner of {collection} {token}",
			"{collection} {token} how rare",
			"how rare is {collection} {token}",
			"(who (owns|holds|has|bought)|(whos|who's|who is) holding) {collection} {token}",
		],
		topic: {
			words: words(
				"token, rank, ranks, ranked, ranking, rarity, rare, rarer, how rare, owner, owns, " +
				"owned, holds, holding, has, trait, traits, attributes, price, worth, bought, " +
				"last sale, floor",
			),
			over: ["floor", "traits", "holders", "sales", "collection"],
		},
		summary: "One token of a collection: its rank, owner and traits.",
		examples: ["token #6529 of kiln-folk", "rank of tidal cats #12", "how rare is kiln folk #7"],
	}),
	about({
		name: "collection",
		tool: "read_collection",
		forms: [
			"collection {collection}",
			`(summary|stats|info|overview|details|data|tldr|rundown) [(about|${OF})] {collection}`,
			"{collection} (summary|stats|info|overview|details|data|tldr|rundown)",
			"(what is|whats|what's|who is) {collection}",
			"[(what is|whats|what's)] (up|happening|going on|new) with {collection}",
			"(what is|whats|what's) the deal with {collection}",
			"(how is|hows|how's|how are) {collection} [(doing|looking|performing|holding up)]",
			"about {collection}",
			"everything (about|on) {collection}",
			"[total] supply [(of|for)] {collection}",
			"{collection} [total] supply",
			"how many {collection} (exist|are there)",
			"how many {collection} [(are|is|got)] (listed|for sale)",
			"how many {collection} listings",
			"how many (listings|listed) [(of|for|on|in|does|do|has)] {collection} [(have|has)]",
			"(percent|percentage|share) [of] {collection} listed",
			`listed (count|percent|percentage|share) [${OF}] {collection}`,
			"{collection} listed (count|percent|percentage|share)",
		],
		topic: {
			words: words(
				"% … listed, fill me in, fill … in on, wtf is, who is, alpha, numbers, figures, stats, stat, statistics, info, infos, overview, summary, summarize, rundown, " +
				"details, data, tldr, breakdown, metrics, snapshot, recap, lowdown, scoop, intel, " +
				"analysis, report, deal with, tell me about, know about, up with, going on with, " +
				"happening with, new with, how is … doing, hows … doing, how's … doing, " +
				"how are … doing, how is … holding up, hows … holding up, supply, total supply, " +
				"how many … listed, how many … for sale, how many … on sale, how many … exist, " +
				"how many … are there, percent … listed, percentage … listed, listed count, " +
				"listed supply, listing count, number of … listings, number of … listed, " +
				"how many … listings",
			),
			over: ["floor", "order_book"],
		},
		summary: "A collection in one line: floor, volume, sales, owners, listed, supply.",
		examples: ["collection kiln-folk", "stats of tidal cats", "how is kiln folk doing"],
	}),
];

/** Phrases with a comma between them. */
function words(list: string): string[] {
	return list.split(", ").filter((phrase) => phrase !== "");
}

type Part = Omit<Command, "slots"> & { slots?: Readonly<Record<string, Slot>> };

/** Makes a command about one collection: `forms` are written without `[on {chain}]`. */
function about(command: Part): Command {
	return {
		...command,
		forms: command.forms.map((form) => `${form} [on {chain}]`),
		slots: { collection: { kind: "collection" }, ...command.slots, chain: { kind: "chain" } },
	};
}
