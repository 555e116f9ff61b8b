// Lists the agent's commands about the whole market.

import type { Command, Slot } from "#core/plugin/Tool.ts";
import { collectionCommands } from "#plugins/market-index/agent/collectionCommands.ts";
import { topics } from "#plugins/market-index/agent/topics.ts";
import { DROP_STATES } from "#plugins/market-index/drops/drops.ts";

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
		examples: ["upcoming", "upcoming mints on base", "what's dropping this week"],
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
	{
		name: "discover",
		tool: "read_discover",
		forms: ["discover [on {chain}]", "[nft] market [overview] [on {chain}]"],
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
export const marketCommands: readonly Command[] = [...collectionCommands, ...marketWideCommands];
