import type { Command, Slot } from "#core/plugin/Command.ts";
import { TRENDING_WINDOWS } from "#plugins/market-index/agent/marketWideTools.ts";
import { DROP_STATES } from "#plugins/market-index/drops/readDrops.ts";

const collection: Slot = { kind: "collection" };
const chain: Slot = { kind: "chain" };
const OF = "(of|for|on|in)";

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
			`(floor|fp) ${OF} {collection}`,
			`(fp|floor price) [${OF}] {collection}`,
			`(cheapest|lowest ask) [${OF}] {collection}`,
			"{collection} (floor|fp|floor price)",
		],
		summary: "The lowest ask of a collection, and its change in 24 hours.",
		examples: ["floor kiln-folk", "fp of tidal cats on base", "kiln folk floor"],
	}),
	about({
		name: "volume",
		tool: "read_volume",
		forms: [
			"volume {collection} [{window}]",
			`(volume|vol) [${OF}] {collection} [(in|over|last|past)] [{window}]`,
			`{window} (volume|vol) [${OF}] {collection}`,
			"{collection} (volume|vol) [(in|over|last|past)] [{window}]",
			"{collection} {window} (volume|vol)",
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
			"{collection} (mints|minted|mint price)",
		],
		summary: "How much of a collection was minted, how fast, and for how much.",
		examples: ["mints kiln-folk", "mint price of tidal cats"],
	}),
	about({
		name: "lifecycle",
		tool: "read_lifecycle",
		forms: [
			"lifecycle {collection}",
			`(lifecycle|stage|phase) [${OF}] {collection}`,
			"is {collection} (minting|revealed|minted out|sold out)",
			"{collection} (lifecycle|stage|phase)",
		],
		summary: "The stage that a collection is in: minting, minted out, secondary; revealed or not.",
		examples: ["lifecycle kiln-folk", "is tidal cats minted out"],
	}),
	about({
		name: "order_book",
		tool: "read_order_book",
		forms: [
			"orderbook {collection}",
			`(book|orderbook|order book) [${OF}] {collection}`,
			`(listings|offers|bids|asks) [${OF}] {collection}`,
			`(best|top|highest) (offer|bid) [${OF}] {collection}`,
			"{collection} (book|orderbook|order book|listings|offers|bids|asks)",
		],
		summary: "A collection's cheapest listings and highest offers.",
		examples: ["orderbook kiln-folk", "best offer for tidal cats", "kiln folk listings"],
	}),
	about({
		name: "depth",
		tool: "read_depth",
		forms: ["depth {collection}", `[market] depth [${OF}] {collection}`, "{collection} depth"],
		summary: "How many units of a collection are asked and bid for at the best prices.",
		examples: ["depth kiln-folk", "market depth of tidal cats"],
	}),
	about({
		name: "traits",
		tool: "read_traits",
		forms: [
			"traits {collection}",
			`(traits|trait floors) [${OF}] {collection}`,
			"{collection} (traits|trait floors)",
		],
		summary: "A collection's traits with their counts and floors.",
		examples: ["traits kiln-folk", "trait floors of tidal cats"],
	}),
	about({
		name: "holders",
		tool: "read_holders",
		forms: [
			"holders {collection}",
			`[(top|biggest|largest)] (holders|owners) [${OF}] {collection}`,
			"who (holds|owns) {collection}",
			"{collection} [(top|biggest|largest)] (holders|owners)",
		],
		summary: "How many own a collection, and who owns most of it.",
		examples: ["holders kiln-folk", "who holds tidal cats"],
	}),
	about({
		name: "token",
		tool: "read_token",
		forms: [
			"token {token} of {collection}",
			"(token|rank|rarity) [of] {token} (of|in|from) {collection}",
			"(token|rank|rarity) [(of|for)] {collection} {token}",
			"{collection} {token} (rank|rarity)",
		],
		slots: { token: { kind: "token" } },
		summary: "One token of a collection: its rank, owner and traits.",
		examples: ["token 6529 of kiln-folk", "rank of tidal cats 12"],
	}),
	about({
		name: "collection",
		tool: "read_collection",
		forms: [
			"collection {collection}",
			`(collection|info|stats|summary) [(about|${OF.slice(1, -1)})] {collection}`,
			"about {collection}",
			"{collection} (info|stats|summary)",
		],
		summary: "A collection in one line: floor, volume, sales, owners, listed, supply.",
		examples: ["collection kiln-folk", "stats of tidal cats", "kiln folk info"],
	}),
	{
		name: "drops",
		tool: "read_drops",
		forms: ["drops [{state}] [on {chain}]", "{state} drops [on {chain}]"],
		slots: { state: { kind: "word", of: DROP_STATES }, chain },
		summary: "Announced mints: upcoming, minting or ended.",
		examples: ["drops upcoming", "minting drops on base"],
	},
	{
		name: "trending",
		tool: "read_trending",
		forms: [
			"trending [{window}] [on {chain}]",
			"(trending|hot) [(in|over|last|past)] [{window}] [on {chain}]",
			"(top|hot|hottest|trending) (collections|nfts) [(in|over|last|past)] [{window}] [on {chain}]",
		],
		slots: { window: { kind: "word", of: TRENDING_WINDOWS }, chain },
		summary: "Collections with most sales in a window; 24 hours unless one is named.",
		examples: ["trending 1h on base", "top collections 7d"],
	},
	{
		name: "discover",
		tool: "read_discover",
		forms: ["discover [on {chain}]", "market [overview] [on {chain}]"],
		slots: { chain },
		summary: "What moves across all collections: most sales, most volume, minting now.",
		examples: ["discover", "market overview on base"],
	},
	{
		name: "search",
		tool: "search_collections",
		forms: [
			"search {query} [on {chain}]",
			"(search|find|look up|lookup) [for] {query} [on {chain}]",
		],
		slots: { query: collection, chain },
		summary: "Collections whose name or slug has these words.",
		examples: ["search kiln", "find tidal cats on base"],
	},
];
