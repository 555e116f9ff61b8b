import type { Command, Slot } from "#core/plugin/Command.ts";
import { DROP_STATES } from "#plugins/market-index/drops/readDrops.ts";

const collection: Slot = { kind: "collection" };
const chain: Slot = { kind: "chain" };
const OF = "(of|for|on|in)";
const OVER = "[(in|over|for)] [the] [(last|past|this)]";

/** Makes a command about one collection: `forms` are written without `[on {chain}]`. */
function about(
	command: Omit<Command, "slots"> & { slots?: Readonly<Record<string, Slot>> },
): Command {
	return {
		...command,
		forms: command.forms.map((form) => `${form} [on {chain}]`),
		slots: { collection, ...command.slots, chain },
	};
}

/** What people type to ask about the market. Each first form is the one that is printed. */
export const marketCommands: readonly Command[] = [
	about({
		name: "floor",
		tool: "read_floor",
		forms: [
			"floor {collection}",
			`(floor|fp) [price] [${OF}] {collection}`,
			"{collection} (floor|fp) [price]",
			`(cheapest|lowest ask) [${OF}] {collection}`,
			"how much is [the] (floor|fp|cheapest) [price] [of] {collection}",
			"how much (is [a]|are) {collection}",
			"how much does [a] {collection} cost",
		],
		summary: "The lowest ask of a collection, and its change in 24 hours.",
		examples: ["floor kiln-folk", "fp of tidal cats on base", "kiln folk floor"],
	}),
	about({
		name: "volume",
		tool: "read_volume",
		forms: [
			"volume {collection} [{window}]",
			`(volume|vol) [${OF}] {collection} ${OVER} [{window}]`,
			`{window} (volume|vol) [${OF}] {collection}`,
			`{collection} (volume|vol) ${OVER} [{window}]`,
			"{collection} {window} (volume|vol)",
			`how much (volume|vol) (has|did) {collection} (done|do|have|had) ${OVER} [{window}]`,
			`how much (has|did) {collection} (traded|trade) ${OVER} [{window}]`,
		],
		slots: { window: { kind: "window" } },
		summary: "What a collection's sales come to in a window; 24 hours unless one is named.",
		examples: ["volume kiln-folk 7d", "vol of tidal cats", "kiln folk 24h volume"],
	}),
	about({
		name: "sales",
		tool: "read_sales",
		forms: [
			"sales {collection}",
			`[(last|latest|recent)] (sales|sale) [${OF}] {collection}`,
			"{collection} [(last|latest|recent)] (sales|sale)",
			"(last|latest|recent) {collection} (sales|sale)",
			"what did {collection} last sell for",
			"how many {collection} [were] sold [today]",
			"how many sales (did|does|has) {collection} (have|had) [today]",
			"who bought {collection}",
		],
		summary: "A collection's last sales, and its prices of 24 hours.",
		examples: ["sales kiln-folk", "last sale of tidal cats", "kiln folk sales"],
	}),
	about({
		name: "mints",
		tool: "read_mints",
		forms: [
			"mints {collection}",
			`(mints|minted|mint price) [${OF}] {collection}`,
			"{collection} (mints|mint price)",
			"how many {collection} [(were|got|have been|are)] minted",
			`how many mints [(of|for|on|in|does|did|has)] {collection} [(have|had)]`,
		],
		summary: "How much of a collection was minted, how fast, and for how much.",
		examples: ["mints kiln-folk", "mint price of tidal cats", "how many kiln folk were minted"],
	}),
	about({
		name: "lifecycle",
		tool: "read_lifecycle",
		forms: [
			"lifecycle {collection}",
			`(lifecycle|stage|phase) [${OF}] {collection}`,
			"{collection} (lifecycle|stage|phase)",
			"(stage|phase) is {collection} in",
			"is {collection} [still] (minting|revealed|minted out|sold out) [yet]",
			"{collection} [still] (minting|revealed|minted out|sold out) [yet]",
			"has {collection} (revealed|minted out|sold out) [yet]",
		],
		summary: "The stage that a collection is in: minting, minted out, secondary; revealed or not.",
		examples: ["lifecycle kiln-folk", "is tidal cats minted out", "kiln folk revealed yet"],
	}),
	about({
		name: "order_book",
		tool: "read_order_book",
		forms: [
			"orderbook {collection}",
			`(book|orderbook|order book) [${OF}] {collection}`,
			"{collection} (book|orderbook|order book)",
			`[cheapest] (listings|asks|listed) [${OF}] {collection}`,
			"{collection} [cheapest] (listings|asks|listed)",
			`[(best|top|highest)] (offers|bids|offer|bid) [${OF}] {collection}`,
			"{collection} [(best|top|highest)] (offers|bids|offer|bid)",
		],
		summary: "A collection's cheapest listings and highest offers.",
		examples: ["orderbook kiln-folk", "best offer for tidal cats", "kiln folk listings"],
	}),
	about({
		name: "depth",
		tool: "read_depth",
		forms: [
			"depth {collection}",
			`[market] (depth|liquidity) [${OF}] {collection}`,
			"{collection} (depth|liquidity) [chart]",
			"how (thin|thick|deep|liquid) is {collection}",
		],
		summary: "How many units of a collection are asked and bid for at the best prices.",
		examples: ["depth kiln-folk", "market depth of tidal cats", "how liquid is kiln folk"],
	}),
	about({
		name: "traits",
		tool: "read_traits",
		forms: [
			"traits {collection}",
			`[(rarest|rare|best)] (traits|attributes|trait (floors|floor)) [${OF}] {collection}`,
			"[(rarest|rare)] {collection} (traits|attributes|trait (floors|floor))",
			"[which] (traits|attributes) (does|do) {collection} have",
		],
		summary: "A collection's traits with their counts and floors.",
		examples: ["traits kiln-folk", "trait floors of tidal cats"],
	}),
	about({
		name: "holders",
		tool: "read_holders",
		forms: [
			"holders {collection}",
			`[(top|unique|biggest|largest)] (holders|owners|whales) [${OF}] {collection}`,
			"{collection} [(top|unique|biggest|largest)] (holders|owners|whales)",
			"who (holds|owns) [the most] {collection}",
			"how many [unique] (holders|owners) (does|do|has) {collection} [have]",
			`how many [unique] (holders|owners) [${OF}] {collection}`,
			"how many (people|wallets) (hold|own|holds|owns) {collection}",
			"(holder|owner) count [(of|for)] {collection}",
			"{collection} (holder|holders|owner|owners) count",
		],
		summary: "How many own a collection, and who owns most of it.",
		examples: ["holders kiln-folk", "who holds tidal cats", "how many holders does kiln folk have"],
	}),
	about({
		name: "token",
		tool: "read_token",
		forms: [
			"token {token} of {collection}",
			"(token|rank|rarity) [of] {token} (of|in|from) {collection}",
			"[(token|rank|rarity|traits)] [(of|for)] {collection} {token} [(rank|rarity|traits)]",
			"how rare is {collection} {token}",
			"rank is {collection} {token}",
			"who (holds|owns) {collection} {token}",
		],
		slots: { token: { kind: "token" } },
		summary: "One token of a collection: its rank, owner and traits.",
		examples: ["token #6529 of kiln-folk", "rank of tidal cats #12", "how rare is kiln folk #7"],
	}),
	about({
		name: "collection",
		tool: "read_collection",
		forms: [
			"collection {collection}",
			"(collection|info|stats|summary|details) [(of|for|on|in|about)] {collection}",
			"{collection} (info|stats|summary|details)",
			"[tell me] about {collection}",
			"(how is|hows) {collection} doing",
			"supply [(of|for)] {collection}",
			"{collection} supply",
			"how many {collection} [are] (there|listed)",
		],
		summary: "A collection in one line: floor, volume, sales, owners, listed, supply.",
		examples: ["collection kiln-folk", "stats of tidal cats", "kiln folk info"],
	}),
	{
		name: "drops",
		tool: "read_drops",
		forms: ["drops [{state}] [on {chain}]", "[(new|latest)] (drops|drop) [today] [on {chain}]"],
		slots: { state: { kind: "word", of: DROP_STATES }, chain },
		summary: "Announced mints: upcoming, minting or ended.",
		examples: ["drops minting", "new drops on base"],
	},
	{
		name: "upcoming",
		tool: "read_drops",
		forms: ["upcoming [on {chain}]", "(upcoming|next) (drops|drop|mints|mint) [on {chain}]"],
		slots: { chain },
		input: (values) => ({ ...values, state: "upcoming" }),
		summary: "Announced mints that are still to come, the next one first.",
		examples: ["upcoming", "upcoming mints on base"],
	},
	{
		name: "trending",
		tool: "read_trending",
		forms: [
			"trending [{window}] [on {chain}]",
			`(trending|hot|pumping|mooning) [(collections|nfts|projects)] ${OVER} [{window}] [on {chain}]`,
			`(trending|hot|pumping|mooning) on {chain} ${OVER} [{window}]`,
			`(top|top 10|hottest|biggest) (collections|nfts|projects|movers) ${OVER} [{window}] [on {chain}]`,
		],
		slots: { window: { kind: "window" }, chain },
		summary: "Collections with most sales in 5m, 1h, 6h, 24h or 7d; 24h unless one is named.",
		examples: ["trending 1h on base", "top collections 7d", "hot collections"],
	},
	{
		name: "discover",
		tool: "read_discover",
		forms: [
			"discover [on {chain}]",
			"[nft] market [overview] [on {chain}]",
			"(how is|hows) [the] [nft] market [doing] [on {chain}]",
			"(minting|moving) [now] [on {chain}]",
		],
		slots: { chain },
		summary: "What moves across all collections: most sales, most volume, minting now.",
		examples: ["discover", "market overview on base", "minting on base"],
	},
	{
		name: "search",
		tool: "search_collections",
		forms: [
			"search {query} [on {chain}]",
			"(search|find|look up|lookup) [for] {query} [on {chain}]",
			"collections (called|named|like) {query} [on {chain}]",
		],
		slots: { query: collection, chain },
		summary: "Collections whose name or slug has these words.",
		examples: ["search kiln", "find tidal cats on base"],
	},
];
