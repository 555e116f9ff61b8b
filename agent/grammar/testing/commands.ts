import type { Command, Slot } from "#core/plugin/Command.ts";

/** How people say over which time, and where. */
const TAIL = "[(in|over|for)] [the] [(last|past|this)] [{window}] [on {chain}]";

/**
 * A list of commands like the one that all plugins give together. Half of it moves something.
 */
export const commands: readonly Command[] = [
	market("floor", {
		forms: [
			"floor {collection} [on {chain}]",
			"(floor|fp) [price] [(of|for|on)] {collection} [on {chain}]",
			"{collection} (floor|fp|price) [(price|change)] [(up|down|moving)] [on {chain}]",
			"(has|did) {collection} (floor|fp) (move|moved|go up|gone up|go down|gone down) [on {chain}]",
			"{collection} [(trading|sitting|going)] (at|for) [on {chain}]",
			"how much (is|are|for) [a] {collection} [going for] [on {chain}]",
			"how much is [the] (floor|fp) [price] [(of|for|on)] {collection} [on {chain}]",
			"how much (does|do) [a] {collection} (cost|go for) [on {chain}]",
			"how much to (buy|get) [into] {collection} [on {chain}]",
			"{collection} cheapest [on {chain}]",
			"how (cheap|expensive) (is|are) {collection} [on {chain}]",
			"(cheapest|lowest|entry) [(price|ask|listing|one|entry)] [(of|for|on|in)] {collection} [on {chain}]",
			"(price|ask) [(of|for|on)] {collection} [on {chain}]",
		],
		examples: ["floor kiln folk", "kiln folk fp", "what's the floor price of kiln folk on base?"],
	}),
	market("volume", {
		slots: { window: { kind: "window" } },
		forms: [
			"volume {collection} [{window}] [on {chain}]",
			`[total] (volume|vol) [(of|for|on|in)] {collection} ${TAIL}`,
			"[total] (volume|vol) {window} [(of|for|on|in)] {collection} [on {chain}]",
			"{window} (volume|vol) [(of|for|on|in)] {collection} [on {chain}]",
			`{collection} [total] (volume|vol) ${TAIL}`,
			"{collection} {window} (volume|vol) [on {chain}]",
			`(how is|hows|how's) {collection} (volume|vol) [(looking|doing)] ${TAIL}`,
			`how much [(volume|vol)] (has|did|does|is) {collection} (done|do|doing|have|had|traded|trade) ${TAIL}`,
			`how much (volume|vol) [(of|for|on|in)] {collection} ${TAIL}`,
		],
		examples: ["volume kiln folk 24h", "24h volume of kiln folk"],
	}),
	market("sales", {
		slots: { window: { kind: "window" } },
		forms: [
			"sales {collection} [{window}] [on {chain}]",
			`[(last|latest|recent|biggest|highest|top)] (sales|sale) [(of|for|on|in)] {collection} ${TAIL}`,
			`(last|latest|recent|biggest|highest|top) {collection} (sales|sale) ${TAIL}`,
			`{collection} [(last|latest|recent|biggest|highest|top)] (sales|sale) ${TAIL}`,
			"{collection} {window} sales [on {chain}]",
			`[how many] {collection} [(have|were|got|has|was|did)] [been] (sold|sell|traded) ${TAIL}`,
			`how many sales [(of|for|on|in|has|did|does)] {collection} [(have|had|do)] ${TAIL}`,
			`how many {collection} sales ${TAIL}`,
			"(recent|latest) {collection} (buys|trades) [on {chain}]",
			"what did [the] last {collection} (sell|go) for [on {chain}]",
			`(who|anyone) (bought|buying) {collection} ${TAIL}`,
			`(is|are) (anyone|people) buying {collection} ${TAIL}`,
		],
		examples: ["sales kiln folk 1h", "recent sales of kiln folk"],
	}),
	market("mints", {
		slots: { window: { kind: "window" } },
		forms: [
			"mints {collection} [{window}] [on {chain}]",
			`[(last|latest|recent)] mints [(of|for|on|in)] {collection} ${TAIL}`,
			`(last|latest|recent) {collection} mints ${TAIL}`,
			`{collection} [(last|latest|recent)] mints ${TAIL}`,
			"{collection} mint count [on {chain}]",
			"mint count [(of|for)] {collection} [on {chain}]",
			"how many {collection} [(are|is)] left [to mint] [on {chain}]",
			`how many {collection} [(have|were|got|has|was)] [been] minted [so far] ${TAIL}`,
			`how many mints [(of|for|on|in|has|did|does)] {collection} [(have|had)] ${TAIL}`,
			`how many people minted {collection} ${TAIL}`,
		],
		examples: ["mints kiln folk 1h"],
	}),
	market("holders", {
		forms: [
			"holders {collection} [on {chain}]",
			"[(top|unique|biggest|largest)] (holders|owners|whales) [(of|for|in|on)] {collection} [on {chain}]",
			"(top|unique|biggest|largest) {collection} (holders|owners|whales) [on {chain}]",
			"{collection} [(top|unique|biggest|largest)] (holders|owners|whales) [on {chain}]",
			"how many [unique] (holders|owners|wallets|people|ppl) (does|do|has) {collection} (have|got) [on {chain}]",
			"how many [unique] (holders|owners) [(of|for|in|has|on)] {collection} [(have|has)] [on {chain}]",
			"how many [unique] (people|ppl|wallets|addresses) (hold|own|holding|have) {collection} [on {chain}]",
			"[(how many|of)] {collection} (holders|owners) [on {chain}]",
			"{collection} holder distribution [on {chain}]",
			"(whos|who's) holding {collection} [on {chain}]",
			"who (holds|owns|is holding) {collection} [on {chain}]",
			"(holder|owner|holders) count [(of|for)] {collection} [on {chain}]",
			"{collection} (holder|owner|holders) count [on {chain}]",
		],
		examples: ["holders kiln folk", "how many holders does kiln folk have"],
	}),
	market("traits", {
		forms: [
			"traits {collection} [on {chain}]",
			"[(rarest|rare|best|top)] (traits|trait|attributes) [(of|for|in|on)] {collection} [on {chain}]",
			"{collection} [(rarest|rare|best|top)] (traits|trait|attributes) [on {chain}]",
			"(rarest|rare|best) {collection} (traits|trait|attributes) [on {chain}]",
			"[(what|which)] (traits|attributes) (does|do) {collection} have [on {chain}]",
			"[(what|which)] (traits|attributes) are (in|rare in|rarest in) {collection} [on {chain}]",
			"(trait|traits) (floors|floor) [(of|for|in)] {collection} [on {chain}]",
			"{collection} (trait|traits) (floors|floor) [on {chain}]",
			"{collection} (floor|floors) by trait [on {chain}]",
			"list {collection} traits [on {chain}]",
		],
		examples: ["traits kiln folk"],
	}),
	market("listings", {
		forms: [
			"listings {collection} [on {chain}]",
			"[(cheapest|lowest|new|latest)] (listings|asks|listed) [(of|for|on|in)] {collection} [on {chain}]",
			"{collection} [(cheapest|lowest|new|latest)] (listings|asks|listed) [on {chain}]",
			"how many {collection} [(are|is|got)] (listed|for sale) [on {chain}]",
			"how many (listings|listed) [(of|for|on|in|does|do|has)] {collection} [(have|has)] [on {chain}]",
			"{collection} for sale [on {chain}]",
			"for sale (in|on|for) {collection} [on {chain}]",
			"(percent|percentage|share) [of] {collection} listed [on {chain}]",
			"how many {collection} listings [on {chain}]",
		],
		examples: ["listings kiln folk"],
	}),
	market("offers", {
		forms: [
			"offers {collection} [on {chain}]",
			"[(top|best|highest|collection)] (offers|bids|offer|bid) [(of|for|on|in)] {collection} [on {chain}]",
			"(top|best|highest) {collection} (offers|bids|offer|bid) [on {chain}]",
			"{collection} [(top|best|highest|collection)] (offers|bids|offer|bid) [on {chain}]",
			"(who is|whos|who's) bidding on {collection} [on {chain}]",
		],
		examples: ["offers kiln folk", "best bid on kiln folk"],
	}),
	market("depth", {
		forms: [
			"depth {collection} [on {chain}]",
			"(depth|liquidity|book|orderbook) [(of|for|on|in)] {collection} [on {chain}]",
			"{collection} (depth|liquidity|book|orderbook) [on {chain}]",
			"order book [(of|for|on)] {collection} [on {chain}]",
			"{collection} order book [on {chain}]",
			"{collection} (liquid|illiquid|wall|walls) [on {chain}]",
			"how (thin|thick|deep|liquid) (is|are) {collection} [(floor|book)] [on {chain}]",
			"how (thin|thick|deep) is the (book|floor|orderbook) (on|of|for) {collection} [on {chain}]",
		],
		examples: ["depth kiln folk"],
	}),
	market("lifecycle", {
		forms: [
			"lifecycle {collection} [on {chain}]",
			"(lifecycle|status|phase|stage) [(of|for)] {collection} [on {chain}]",
			"{collection} (lifecycle|status|phase|stage) [on {chain}]",
			"{collection} [(still|already)] (minting|minted|mintable|revealed) [out] [(yet|already)] [on {chain}]",
			"(has|did) {collection} (mint|minted|revealed|reveal|sell|sold) [out] [(yet|already)] [on {chain}]",
			"(when|where) (is|was|does|did|do) {collection} (mint|minting|minted|reveal|revealed) [out] [on {chain}]",
			"when {collection} (reveal|mint) [on {chain}]",
			"{collection} mint [(status|live)] [on {chain}]",
			"when (reveal|mint) {collection} [on {chain}]",
			"(can i|can you|can u) still mint {collection} [on {chain}]",
		],
		examples: ["lifecycle kiln folk", "is kiln folk minted out yet?"],
	}),
	market("summary", {
		forms: [
			"summary {collection} [on {chain}]",
			"(summary|stats|info|overview|details|data) [(of|for|on|about)] {collection} [on {chain}]",
			"{collection} (summary|stats|info|overview|details|data) [on {chain}]",
			"(what is|whats|what's|who is) {collection} [on {chain}]",
			"(what is|whats|what's) (up|happening|going on|the deal|new) with {collection} [on {chain}]",
			"(how is|hows|how's|how are) {collection} [(doing|looking|performing|holding up)] [on {chain}]",
			"about {collection} [on {chain}]",
			"[total] supply [(of|for)] {collection} [on {chain}]",
			"{collection} [total] supply [on {chain}]",
			"how many {collection} (exist|are there) [on {chain}]",
			"collection {collection} [on {chain}]",
		],
		examples: ["summary kiln folk", "how is kiln folk doing"],
	}),
	market("token", {
		slots: { token: { kind: "token" } },
		forms: [
			"token {collection} {token} [on {chain}]",
			"[(rank|rarity|rarity rank|traits)] [(of|for)] {collection} {token} [(rank|rarity)] [on {chain}]",
			"[what] (rank|rarity) is {collection} {token} [on {chain}]",
			"owner of {collection} {token} [on {chain}]",
			"how rare is {collection} {token} [on {chain}]",
			"who (owns|holds|has|bought) {collection} {token} [on {chain}]",
			"token {token} (of|in|from) {collection} [on {chain}]",
			"(rank|rarity) of {token} in {collection} [on {chain}]",
		],
		examples: ["token kiln folk #12", "how rare is kiln folk #12"],
	}),
	plain("trending", {
		slots: { window: { kind: "window" }, chain: { kind: "chain" } },
		forms: [
			"trending [{window}] [on {chain}]",
			`(trending|mooning|pumping|moving|running|ripping|selling) [(collections|nfts|nft|projects|stuff)] ${TAIL}`,
			`(whats|what's|what is) (trending|mooning|pumping|moving|running|ripping|selling) ${TAIL}`,
			`top [(5|10|20|25|50|100)] [(collections|nfts|projects|movers|gainers)] [by volume] ${TAIL}`,
			`(which|what) (collections|nfts|projects) are (trending|mooning|pumping|moving) ${TAIL}`,
			`(biggest|top) (movers|gainers|winners) ${TAIL}`,
			`(most traded|hottest|best) (collections|nfts|projects) ${TAIL}`,
		],
		examples: ["trending", "whats mooning", "trending 24h on base"],
	}),
	plain("hot", {
		slots: { chain: { kind: "chain" } },
		forms: [
			"hot [on {chain}]",
			"(hot|discover|minting) [(mints|now|collections|nfts|stuff)] [(today|this week)] [on {chain}]",
			"(whats|what's|what is) (hot|minting|new) [(today|this week)] [on {chain}]",
			"(hottest|new|live) mints [(today|this week)] [on {chain}]",
			"new (collections|nfts|projects) [(today|this week)] [on {chain}]",
			"(which|what) (collections|nfts|projects) are (hot|minting) [on {chain}]",
			"[what] (are people|is everyone|everyone) minting [on {chain}]",
			"[what] (can|should) i mint [(today|now)] [on {chain}]",
			"what to mint [(today|now)] [on {chain}]",
			"mint [(today|now)] [on {chain}]",
		],
		examples: ["hot", "whats minting on base"],
	}),
	plain("drops", {
		slots: { chain: { kind: "chain" } },
		forms: [
			"drops [(today|tomorrow|soon|this week)] [on {chain}]",
			"(upcoming|next) mints [(today|tomorrow|soon|this week)] [on {chain}]",
			"(upcoming|next|new) (drops|drop) [(today|tomorrow|soon|this week)] [on {chain}]",
			"[(which|what)] (drops|mints) are (upcoming|next|coming) [(up|soon)] [on {chain}]",
			"(whens|when's) [the] next (drop|mint) [on {chain}]",
			"when is [the] next (drop|mint) [on {chain}]",
			"(whats|what's|what is) dropping [(today|tomorrow|soon|next|this week)] [on {chain}]",
			"dropping [(today|tomorrow|soon|next|this week)] [on {chain}]",
		],
		examples: ["drops", "upcoming drops on base"],
	}),
	plain("search", {
		slots: { query: { kind: "collection" } },
		forms: [
			"search {query}",
			"(search|find|lookup|look up) [(for|me)] [(collection|collections)] [(called|named|like)] {query}",
			"collections (called|named|like) {query}",
		],
		examples: ["search kiln", "find kiln"],
	}),
	plain("stock", {
		slots: { asset: { kind: "asset" } },
		forms: ["quote {asset}", "(quote|stock) [(of|for)] {asset}", "stock price [(of|for)] {asset}"],
		examples: ["quote AAPL"],
	}),
	plain("holdings", {
		forms: ["holdings", "[my] (holdings|portfolio|positions|bags|bag)", "what do i (hold|own)"],
		examples: ["holdings", "my bags"],
	}),
	plain("wallets", {
		forms: [
			"my wallets",
			"[my] (wallets|wallet|addresses|address)",
			"[(which|what)] wallets do i have",
		],
		examples: ["my wallets"],
	}),
	plain("limits", {
		forms: ["my limits", "[my] (limits|caps)", "how much can i (spend|trade)"],
		examples: ["my limits"],
	}),
	plain("profile", {
		forms: ["my profile", "(profile|whoami)", "who am i"],
		examples: ["my profile"],
	}),
	plain("balance", {
		slots: { chain: { kind: "chain" } },
		forms: [
			"balance [on {chain}]",
			"[my] [eth] (balance|balances) [on {chain}]",
			"how much (eth|money) do i have [on {chain}]",
			"[how much] [eth] in my (wallet|wallets) [on {chain}]",
			"wallet (balance|balances) [on {chain}]",
			"how much do i have [on {chain}]",
		],
		examples: ["balance", "how much eth do i have on base"],
	}),
	plain("intents", {
		forms: [
			"intents",
			"[my] [(open|pending|recent)] (intents|orders|actions)",
			"my (trades|transactions)",
		],
		examples: ["intents"],
	}),
	plain("intent", {
		slots: { id: { kind: "id" } },
		forms: [
			"intent {id}",
			"[(status of|status|whats with)] [intent] {id}",
			"what happened to [intent] {id}",
		],
		examples: ["intent 0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"],
	}),
	plain("bridges", { forms: ["my bridges", "bridges"], examples: ["my bridges"] }),
	plain("snipes", {
		forms: ["my snipes", "snipes", "my (plans|snipe plans)"],
		examples: ["my snipes"],
	}),
	plain("economics", {
		forms: [
			"economics",
			"(tokenomics|burned|burns|buyback|buybacks)",
			"how much (was|has been) burned",
		],
		examples: ["economics"],
	}),
	plain("settings", { forms: ["settings", "trading settings"], examples: ["settings"] }),
	plain("chains", {
		forms: ["chains", "[(which|what)] chains [(are supported|do you (support|know))]"],
		examples: ["chains"],
	}),
	plain("help", {
		forms: [
			"help",
			"(commands|menu|start)",
			"(what|how) can (you|u) do",
			"how does this work",
			"how (do|to) [i] use this",
		],
		examples: ["help", "what can you do?"],
	}),
	moving("cancel", {
		slots: { id: { kind: "id" } },
		forms: ["cancel {id}", "cancel intent {id}"],
		examples: ["cancel 0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"],
	}),
	moving("send", {
		slots: { amount: { kind: "amount" }, to: { kind: "address" }, chain: { kind: "chain" } },
		forms: ["send {amount} eth to {to} [on {chain}]"],
		examples: ["send 0.5 eth to 0x1111111111111111111111111111111111111111 on base"],
	}),
	moving("buy_listing", {
		slots: {
			...{ collection: { kind: "collection" }, token: { kind: "token" } },
			...{ most: { kind: "amount" }, chain: { kind: "chain" } },
		},
		forms: [
			"buy {collection} {token} for at most {most} eth [on {chain}]",
			"buy {collection} {token} for (max|up to) {most} eth [on {chain}]",
		],
		examples: ["buy kiln folk #12 for at most 0.5 eth"],
	}),
	moving("buy_with", {
		slots: { asset: { kind: "asset" }, amount: { kind: "amount" }, settlement: settlement() },
		forms: ["buy {asset} with {amount} {settlement}"],
		examples: ["buy AAPL with 100 usdg", "buy $aapl with 0.1 eth"],
	}),
	moving("buy_quantity", {
		slots: { quantity: { kind: "amount" }, asset: { kind: "asset" } },
		forms: ["buy {quantity} {asset}"],
		examples: ["buy 2.5 AAPL"],
	}),
	moving("sell", {
		slots: {
			...{ share: { kind: "word", of: ["half", "all"] }, percent: { kind: "percent" } },
			...{ quantity: { kind: "amount" }, asset: { kind: "asset" }, settlement: settlement() },
		},
		forms: ["sell ({share}|{percent}|{quantity}) [of] [my] {asset} [to {settlement}]"],
		examples: ["sell half of my AAPL to USDG", "sell 25% AAPL", "sell 3 $AAPL"],
	}),
	moving("hold", {
		slots: { asset: { kind: "asset" } },
		forms: ["hold {asset}"],
		examples: ["hold AAPL"],
	}),
	moving("bridge", {
		slots: {
			...{ amount: { kind: "amount" }, currency: { kind: "asset" }, from: { kind: "chain" } },
			...{ to: { kind: "chain" }, as: { kind: "asset" }, recipient: { kind: "address" } },
			...{ refund: { kind: "address" } },
		},
		forms: [
			"bridge {amount} {currency} [from {from}] to {to} [as {as}] [recipient {recipient}] [refund to {refund}]",
		],
		examples: ["bridge 0.5 eth to base", "bridge 100 usdg from 4663 to base as usdc"],
	}),
	moving("snipe", {
		slots: {
			collection: { kind: "collection" },
			most: { kind: "amount" },
			count: { kind: "token" },
		},
		forms: ["snipe {collection} below {most} eth [up to {count}]"],
		examples: ["snipe kiln folk below 0.2 eth up to 3"],
	}),
	moving("pause_snipe", {
		slots: { id: { kind: "id" }, verb: { kind: "word", of: ["pause", "resume"] } },
		forms: ["plan {id} {verb}"],
		examples: ["plan 0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071 pause"],
	}),
	moving("revoke", {
		slots: { asset: { kind: "asset" }, spender: { kind: "address" } },
		forms: ["revoke {asset} from {spender}"],
		examples: ["revoke usdg from 0x1111111111111111111111111111111111111111"],
	}),
];

/** True for the commands of this list that move something. */
export function isStrict(command: Command): boolean {
	return command.tool.startsWith("do_");
}

type Part = { slots?: Record<string, Slot>; forms: string[]; examples: string[] };

function market(name: string, { slots, ...part }: Part): Command {
	const own: Record<string, Slot> = { collection: { kind: "collection" }, ...slots };
	return plain(name, { slots: { ...own, chain: { kind: "chain" } }, ...part });
}

function plain(name: string, { slots = {}, forms, examples }: Part): Command {
	return { name, forms, slots, tool: `read_${name}`, summary: `Answers ${name}.`, examples };
}

function moving(name: string, part: Part): Command {
	return { ...plain(name, part), tool: `do_${name}`, prepares: `prepare_${name}` };
}

function settlement(): Slot {
	return { kind: "word", of: ["ETH", "WETH", "USDG"] };
}
