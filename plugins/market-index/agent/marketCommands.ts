// Lists the agent's commands about the whole market.

import type { Command, Slot } from "#core/plugin/Tool.ts";
import { collectionCommands } from "#plugins/market-index/agent/collectionCommands.ts";
import { topics } from "#plugins/market-index/agent/topics.ts";
import { DROP_STATES } from "#plugins/market-index/drops/drops.ts";

const chain: Slot = { kind: "chain" };
const SPAN = "[(in|over|for)] [the] [(last|past|this)]";
const NFTS = "(collections|nfts|nft|projects|stuff)";
const MOVING =
	"(trending|hot|pumping|mooning|moving|running|ripping|selling|cooking|popping [off])";
const SOON = "(today|tonight|tomorrow|tmrw|soon|next|this week)";

/** Commands about all collections. */
const marketWideCommands: readonly Command[] = [
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
		forms: [
			"upcoming [on {chain}]",
			`(upcoming|next) (drops|drop|mints|mint|launches|launch) [${SOON}] [on {chain}]`,
			"[(drops|mints)] coming [up] [(soon|next|today|tomorrow|this week)] [on {chain}]",
			"(drops|mints) (tomorrow|tmrw|soon|next|this week) [on {chain}]",
			"[(which|what)] (drops|mints) are (upcoming|next|coming) [(up|soon)] [on {chain}]",
			"(whens|when's|when is|wen) [the] next (drop|mint) [on {chain}]",
			`[(whats|what's|what is)] dropping [${SOON}] [on {chain}]`,
		],
		slots: { chain },
		input: (values) => ({ ...values, state: "upcoming" }),
		topic: topics.upcoming,
		summary: "Announced mints that are still to come, the next one first.",
		examples: ["upcoming", "upcoming mints on base", "what's dropping this week"],
	},
	{
		name: "ended_drops",
		tool: "read_drops",
		forms: [
			"ended drops [on {chain}]",
			"(ended|closed|finished|past|old) (drops|mints) [on {chain}]",
			"(which|what) (drops|mints) (ended|closed|finished) [already] [on {chain}]",
		],
		slots: { chain },
		input: (values) => ({ ...values, state: "ended" }),
		topic: topics.ended,
		summary: "Announced mints that are over.",
		examples: ["ended drops", "past mints on base"],
	},
	{
		name: "trending",
		tool: "read_trending",
		forms: [
			"trending [{window}] [on {chain}]",
			`${MOVING} [${NFTS}] ${SPAN} [{window}] [on {chain}]`,
			`${MOVING} on {chain} ${SPAN} [{window}]`,
			`[(which|what)] (collections|nfts|projects) are ${MOVING} ${SPAN} [{window}] [on {chain}]`,
			`[(are|is)] (people|ppl|everyone) (aping|buying|trading) [into] ${SPAN} [{window}] [on {chain}]`,
			`(collections|nfts|projects) ${MOVING} ${SPAN} [{window}] [on {chain}]`,
			`top [(5|10|20|25|50|100)] [(collections|nfts|projects|movers|gainers)] [by volume] ${SPAN} [{window}] [on {chain}]`,
			`(biggest|most|highest|top) volume ${SPAN} [{window}] [on {chain}]`,
			`top trending [${NFTS}] ${SPAN} [{window}] [on {chain}]`,
			`(biggest|top) (movers|gainers|winners) ${SPAN} [{window}] [on {chain}]`,
			`(most traded|hottest|best) (collections|nfts|projects) ${SPAN} [{window}] [on {chain}]`,
		],
		slots: { window: { kind: "window" }, chain },
		topic: topics.trending,
		summary: "Collections with most sales in 5m, 1h, 6h, 24h or 7d; 24h unless one is named.",
		examples: ["trending 1h on base", "top collections 7d", "whats mooning"],
	},
	{
		name: "discover",
		tool: "read_discover",
		forms: [
			"discover [on {chain}]",
			"[nft] market [overview] [on {chain}]",
			"(happening|going on) in [the] [nft] market [on {chain}]",
			"alpha on mints [on {chain}]",
			"(how is|hows|how's) [the] [nft] market [(doing|looking)] [on {chain}]",
			`[(good|cool|new|hot)] minting [(now|${NFTS})] [(today|this week)] [on {chain}]`,
			"(hottest|hot|new|live|good) mints [(today|this week)] [on {chain}]",
			"[any] (drops|mints) (live|open) [(now|today)] [on {chain}]",
			"live drops [on {chain}]",
			"(whats|what's|what is) new [on {chain}]",
			"new (collections|nfts|projects) [(today|this week)] [on {chain}]",
			"(which|what) (collections|nfts|projects) are minting [on {chain}]",
			"[(are|is)] (people|ppl|everyone) minting [(today|now)] [on {chain}]",
			"[what] (can|should) i mint [(today|now|rn|right now)] [on {chain}]",
			"(what|something) to mint [(today|now)] [on {chain}]",
		],
		slots: { chain },
		topic: topics.discover,
		summary: "What moves across all collections: most sales, most volume, minting now.",
		examples: ["discover", "market overview on base", "minting on base"],
	},
	{
		name: "search",
		tool: "search_collections",
		forms: [
			"search {query} [on {chain}]",
			"(search [up]|find|lookup|look up|look for) [(for|me)] [(a|that|this|the)] [(collection|collections)] [(called|named|like)] {query} [(collection|collections)] [on {chain}]",
			"do you have {query} [on {chain}]",
			"(collection|collections|project|projects) (called|named|like) {query} [on {chain}]",
		],
		slots: { query: { kind: "collection" }, chain },
		topic: topics.search,
		summary: "Collections whose name or slug has these words.",
		examples: ["search kiln", "find tidal cats on base"],
	},
];

/** Commands about the market. Each first form is the one that help shows. */
export const marketCommands: readonly Command[] = [...collectionCommands, ...marketWideCommands];
