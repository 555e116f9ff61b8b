// Lists the agent's commands about the whole market, and about one collection.

import type { Command, Slot } from "#core/plugin/Tool.ts";
import type { COMPARED } from "#plugins/market-index/agent/compareTools.ts";
import { pairTopics } from "#plugins/market-index/agent/pairTopics.ts";
import { topics } from "#plugins/market-index/agent/topics.ts";
import { DROP_STATES } from "#plugins/market-index/drops/drops.ts";

type Part = Omit<Command, "slots"> & { slots?: Readonly<Record<string, Slot>> };

const window: Slot = { kind: "period" };

/** Commands about one collection. Each first form is the one that help shows. */
export const collectionCommands: readonly Command[] = [
	about({
		name: "floor",
		tool: "read_floor",
		forms: ["floor {collection}", "(floor|fp|floor price) [(of|for)] {collection}"],
		topic: topics.floor,
		summary: "The lowest ask of a collection, and its change in 24 hours.",
		examples: ["floor kiln-folk", "fp of tidal cats on base", "how much is kiln folk"],
	}),
	about({
		name: "past_floor",
		tool: "read_past_floor",
		slots: { when: { kind: "period", isPast: true } },
		forms: ["floor {collection} {when}", "(floor|fp|floor price) [(of|for)] {collection} {when}"],
		topic: topics.past_floor,
		summary: "The floor that was seen at a past time, or the floors of a period; 90 days are kept.",
		examples: ["floor kiln-folk yesterday-utc", "floor of tidal cats yesterday at 14:00"],
	}),
	about({
		name: "trait_floor",
		tool: "read_trait_floor",
		slots: { trait: { kind: "collection" } },
		forms: [
			"trait floor {collection} with {trait}",
			"(floor|fp|floor price|price|cheapest) [(of|for)] {collection} (with|wearing|having) [(a|an)] {trait}",
			"{collection} (floor|fp|floor price|price|cheapest) (with|wearing|having) [(a|an)] {trait}",
		],
		topic: topics.trait_floor,
		summary: "The lowest ask for a token with one trait.",
		examples: ["trait floor kiln-folk with gold", "floor of tidal cats with background gold"],
	}),
	about({
		name: "volume",
		tool: "read_volume",
		slots: { window },
		forms: ["volume {collection} [{window}]", "(volume|vol) [(of|for)] {collection} [{window}]"],
		topic: topics.volume,
		summary: "What a collection's sales come to in a time; 24 hours unless one is named.",
		examples: ["volume kiln-folk 7d", "vol of tidal cats", "volume of kiln folk in october"],
	}),
	about({
		name: "sales",
		tool: "read_sales",
		forms: ["sales {collection}", "sales [(of|for)] {collection}"],
		topic: topics.sales,
		summary: "A collection's last sales, and its prices of 24 hours.",
		examples: ["sales kiln-folk", "last sale of tidal cats", "kiln folk sales"],
	}),
	about({
		name: "sold",
		tool: "read_volume",
		slots: { window },
		forms: ["sold {collection} {window}"],
		topic: topics.sold,
		summary: "How many of a collection were sold in a time, and for how much together.",
		examples: ["sold kiln-folk 1h", "how many tidal cats sold today", "kiln folk sales last hour"],
	}),
	about({
		name: "prices",
		tool: "read_prices",
		slots: { window },
		forms: ["prices {collection} {window}"],
		topic: topics.prices,
		summary: "The average, highest and lowest price that was paid in a time.",
		examples: ["prices kiln-folk 7d", "average price of tidal cats this week"],
	}),
	about({
		name: "mints",
		tool: "read_mints",
		forms: ["mints {collection}", "mints [(of|for)] {collection}"],
		topic: topics.mints,
		summary: "How much of a collection was minted, how fast, and for how much.",
		examples: ["mints kiln-folk", "mint price of tidal cats", "how many kiln folk were minted"],
	}),
	about({
		name: "lifecycle",
		tool: "read_lifecycle",
		forms: ["lifecycle {collection}", "lifecycle [of] {collection}"],
		topic: topics.lifecycle,
		summary: "The stage that a collection is in: minting, minted out, secondary; revealed or not.",
		examples: ["lifecycle kiln-folk", "is tidal cats minted out", "kiln folk revealed yet"],
	}),
	about({
		name: "order_book",
		tool: "read_order_book",
		forms: ["orderbook {collection}", "(orderbook|order book) [(of|for)] {collection}"],
		topic: topics.order_book,
		summary: "A collection's cheapest listings and highest offers.",
		examples: ["orderbook kiln-folk", "best offer for tidal cats", "kiln folk listings"],
	}),
	about({
		name: "depth",
		tool: "read_depth",
		forms: ["depth {collection}", "depth [(of|for)] {collection}"],
		topic: topics.depth,
		summary: "How many units of a collection are asked and bid for at the best prices.",
		examples: ["depth kiln-folk", "market depth of tidal cats", "how liquid is kiln folk"],
	}),
	about({
		name: "traits",
		tool: "read_traits",
		forms: ["traits {collection}", "traits [(of|for)] {collection}"],
		topic: topics.traits,
		summary: "A collection's traits with their counts and floors.",
		examples: ["traits kiln-folk", "trait floors of tidal cats"],
	}),
	about({
		name: "holders",
		tool: "read_holders",
		forms: ["holders {collection}", "holders [(of|for)] {collection}"],
		topic: topics.holders,
		summary: "How many own a collection, and who owns most of it.",
		examples: ["holders kiln-folk", "who holds tidal cats", "how many holders does kiln folk have"],
	}),
	about({
		name: "token",
		tool: "read_token",
		slots: { token: { kind: "token" } },
		forms: ["token {token} of {collection}", "token {token} (of|in|from) {collection}"],
		topic: topics.token,
		summary: "One token of a collection: its rank, owner, traits, listing and last sale.",
		examples: ["token #6529 of kiln-folk", "rank of tidal cats #12", "how rare is kiln folk #7"],
	}),
	about({
		name: "token_sale",
		tool: "read_token",
		slots: { token: { kind: "token" } },
		forms: ["last sale {token} of {collection}"],
		input: (values) => ({ ...values, about: "sale" }),
		topic: topics.token_sale,
		summary: "What one token last sold for.",
		examples: ["last sale #12 of kiln-folk", "what did tidal cats #5 last sell for"],
	}),
	about({
		name: "token_listing",
		tool: "read_token",
		slots: { token: { kind: "token" } },
		forms: ["listing {token} of {collection}"],
		input: (values) => ({ ...values, about: "listing" }),
		topic: topics.token_listing,
		summary: "What one token is for sale for, if it is.",
		examples: ["listing #12 of kiln-folk", "is tidal cats #12 listed"],
	}),
	about({
		name: "collection",
		tool: "read_collection",
		forms: ["collection {collection}"],
		topic: topics.collection,
		summary: "A collection in one line: floor, volume, sales, owners, listed, supply.",
		examples: ["collection kiln-folk", "stats of tidal cats", "how is kiln folk doing"],
	}),
];

/** Commands that hold two collections side by side. */
const pairCommands: readonly Command[] = [
	compared("floor", {}),
	compared("floor_change", { isOfTime: true }),
	compared("volume", { isOfTime: true }),
	compared("sales", { isOfTime: true }),
	compared("holders", {}),
	compared("listed", {}),
	compared("supply", {}),
];

const chain: Slot = { kind: "chain" };

/** Commands about all collections. Other ways to ask are for their topics. */
const marketWideCommands: readonly Command[] = [
	{
		name: "drops",
		tool: "read_drops",
		forms: ["drops [{state}] [on {chain}]", "[(new|latest)] drops [on {chain}]"],
		slots: { state: { kind: "word", of: DROP_STATES }, chain },
		summary: "Announced mints: upcoming, minting or ended.",
		examples: ["drops minting", "new drops on base"],
	},
	{
		name: "upcoming",
		tool: "read_drops",
		forms: ["upcoming [on {chain}]", "(upcoming|next) (drops|mints) [on {chain}]"],
		slots: { chain },
		input: (values) => ({ ...values, state: "upcoming" }),
		topic: topics.upcoming,
		summary: "Announced mints that are still to come, the next one first.",
		examples: ["upcoming", "upcoming mints on base", "what's dropping next"],
	},
	{
		name: "minting",
		tool: "read_drops",
		forms: ["minting [on {chain}]"],
		slots: { chain },
		input: (values) => ({ ...values, state: "minting" }),
		topic: topics.minting,
		summary: "Announced mints that are open now.",
		examples: ["what's minting", "minting on base"],
	},
	{
		name: "ended_drops",
		tool: "read_drops",
		forms: ["ended drops [on {chain}]", "(ended|past) (drops|mints) [on {chain}]"],
		slots: { chain },
		input: (values) => ({ ...values, state: "ended" }),
		topic: topics.ended,
		summary: "Announced mints that are over.",
		examples: ["ended drops", "past mints on base"],
	},
	{
		name: "trending",
		tool: "read_trending",
		forms: ["trending [{window}] [on {chain}]"],
		slots: { window: { kind: "window" }, chain },
		topic: topics.trending,
		summary: "Collections with most sales in 5m, 1h, 6h, 24h or 7d; 24h unless one is named.",
		examples: ["trending 1h on base", "top collections 7d", "whats hot"],
	},
	ranking("top_volume", {
		by: "volume",
		forms: ["most volume [{window}] [on {chain}]", "volume leaders [{window}] [on {chain}]"],
		summary: "Collections with most volume in 5m, 1h, 6h, 24h or 7d.",
		examples: ["most volume 1h on base", "trending by volume"],
	}),
	ranking("gainers", {
		by: "gainers",
		forms: ["gainers [{window}] [on {chain}]"],
		summary: "Traded collections whose floor rose most in 5m, 1h, 6h, 24h or 7d.",
		examples: ["gainers 7d", "top gainers today"],
	}),
	ranking("losers", {
		by: "losers",
		forms: ["losers [{window}] [on {chain}]"],
		summary: "Traded collections whose floor fell most in 5m, 1h, 6h, 24h or 7d.",
		examples: ["losers 7d", "top losers today"],
	}),
	{
		name: "discover",
		tool: "read_discover",
		forms: ["discover [on {chain}]", "[nft] market [overview] [on {chain}]"],
		slots: { chain },
		topic: topics.discover,
		summary: "What moves across all collections: most sales, most volume, minting now.",
		examples: ["discover", "market overview on base"],
	},
	{
		name: "search",
		tool: "search_collections",
		forms: [
			"search {query} [on {chain}]",
			"(search|find|look up|look for) [for] [(collection|collections)] [(called|named|like)] {query} [on {chain}]",
			"(collection|collections) (called|named) {query} [on {chain}]",
		],
		slots: { query: { kind: "collection" }, chain },
		topic: topics.search,
		summary: "Collections whose name or slug has these words.",
		examples: ["search kiln", "find tidal cats on base"],
	},
];

/** Commands about the market. Each first form is the one that help shows. */
export const marketCommands: readonly Command[] = [
	...collectionCommands,
	...pairCommands,
	...marketWideCommands,
];

/** Makes a command that ranks collections in another way than `trending`. */
function ranking(
	name: "top_volume" | "gainers" | "losers",
	{ by, ...command }: Pick<Command, "forms" | "summary" | "examples"> & { by: string },
): Command {
	return {
		...command,
		name,
		tool: "read_trending",
		slots: { window: { kind: "window" }, chain },
		input: (values) => ({ ...values, by }),
		topic: topics[name],
	};
}

/** Makes a command that compares two collections by one figure. */
function compared(
	by: (typeof COMPARED)[number],
	{ isOfTime = false }: { isOfTime?: boolean },
): Command {
	const words = by.replace("_", " ");
	const time = isOfTime ? " [{window}]" : "";
	return about({
		name: `compare_${by}`,
		tool: "read_comparison",
		slots: { other: { kind: "collection" }, ...(isOfTime ? { window } : {}) },
		forms: [`compare ${words} {collection} vs {other}${time}`],
		input: (values) => ({ ...values, by }),
		topic: pairTopics[by],
		summary: `The ${words} of two collections, side by side.`,
		examples: [`compare ${words} kiln-folk vs night-ferry${isOfTime ? " 7d" : ""}`],
	});
}

/** Makes a command about one collection: `forms` are written without `[on {chain}]`. */
function about(command: Part): Command {
	return {
		...command,
		forms: command.forms.map((form) => `${form} [on {chain}]`),
		slots: { collection: { kind: "collection" }, ...command.slots, chain: { kind: "chain" } },
	};
}
