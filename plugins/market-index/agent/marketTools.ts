// Makes all tools of the market for the agent.

import { z } from "zod";
import { unreachable } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";
import { collectionTools } from "#plugins/market-index/agent/collectionTools.ts";
import { compareTools } from "#plugins/market-index/agent/compareTools.ts";
import {
	MARKET_READ,
	type ToolDeps,
	wordsInput,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import { floorTools } from "#plugins/market-index/agent/floorTools.ts";
import { holdingTools } from "#plugins/market-index/agent/holdingTools.ts";
import {
	addressText,
	countText,
	ethText,
	lineOf,
	nameText,
	oldestMs,
	percentText,
	shortText,
	timeText,
} from "#plugins/market-index/agent/lineText.ts";
import { createResolver } from "#plugins/market-index/agent/resolveCollection.ts";
import { tokenTools } from "#plugins/market-index/agent/tokenTools.ts";
import { tradeTools } from "#plugins/market-index/agent/tradeTools.ts";
import { DROP_STATES } from "#plugins/market-index/drops/drops.ts";
import { chainsOf, type RouteContext, readFreshness } from "#plugins/market-index/read/context.ts";
import {
	MOVERS_READ,
	readDiscover,
	readMovers,
	readTrending,
} from "#plugins/market-index/read/trending.ts";
import { answerDrops } from "#plugins/market-index/routes/lists.ts";
import { chainParam } from "#plugins/market-index/routes/params.ts";
import {
	discoverRowSchema,
	dropSchema,
	freshnessSchema,
	searchHitSchema,
	trendingRowSchema,
} from "#plugins/market-index/schemas/lists.ts";
import { createSearcher } from "#plugins/market-index/search/createSearcher.ts";

const ROWS_SHOWN = 10;
const SECTION_ROWS_SHOWN = 5;

const named = { slug: true, chain: true, name: true } as const;

const dropRow = dropSchema.pick({
	...named,
	contractAddress: true,
	isIndexed: true,
	state: true,
	stages: true,
	maxSupply: true,
	totalSupply: true,
	startsAt: true,
	endsAt: true,
	seenAt: true,
});

const dropsInput = z.strictObject({
	state: z.enum(DROP_STATES).optional().meta({ description: "Only drops in this state." }),
	chain: chainParam,
});

const dropsOutput = z.object({
	state: z.enum(DROP_STATES).nullable().meta({ description: "What was asked for; null: all." }),
	drops: z.array(dropRow).meta({ description: "Up to ten; to come: the next first." }),
});

const startText = (startsAt: string | null) =>
	startsAt === null ? "start not known" : `from ${timeText(startsAt)}`;

const TRENDING_WINDOWS = ["5m", "1h", "6h", "24h", "7d"] as const;

/** Lists the figures that collections are ranked by. */
export const RANKINGS = ["sales", "volume", "gainers", "losers"] as const;
type Ranking = (typeof RANKINGS)[number];

const trendingInput = z.strictObject({
	by: z
		.enum(RANKINGS)
		.default("sales")
		.meta({
			description:
				"`sales` or `volume` of the window; `gainers`, `losers`: by the change of the floor since it " +
				`began, of the ${MOVERS_READ} collections that traded most in it.`,
		}),
	window: z
		.enum(TRENDING_WINDOWS, "must be 5m, 1h, 6h, 24h or 7d")
		.default("24h")
		.meta({ description: "Sales of this long until now are counted." }),
	chain: chainParam,
});

const trendingOutput = z.object({
	by: z.enum(RANKINGS).meta({ description: "What was asked for." }),
	window: z.enum(TRENDING_WINDOWS),
	rows: z
		.array(
			trendingRowSchema
				.pick({
					...named,
					contractAddress: true,
					lifecycle: true,
					floorNative: true,
					volumeNative: true,
					sales: true,
					coverage: true,
				})
				.extend({
					floorChangePercent: field
						.number("Of gainers and losers: change of the floor, in percent; null else.", 4.2)
						.nullable(),
				}),
		)
		.meta({ description: "Up to ten collections, the first of the ranking first." }),
	freshness: freshnessSchema,
});

const salesText = (sales: number | null) =>
	sales === null ? "sales not known" : `${countText(sales)} ${sales === 1 ? "sale" : "sales"}`;

const discoverRows = (description: string) =>
	z
		.array(
			discoverRowSchema.pick({
				...named,
				floorNative: true,
				floorChange24hPercent: true,
				volume24hNative: true,
				sales24h: true,
				mints1h: true,
				lifecycle: true,
				coverage: true,
			}),
		)
		.meta({ description });

const discoverOutput = z.object({
	trending: discoverRows("Up to five collections, most sales of 24 hours first."),
	market: discoverRows("Up to five collections that ever sold, most volume of 24 hours first."),
	minting: discoverRows("Up to five collections with mints in the last hour, most mints first."),
	freshness: freshnessSchema,
});

const searchOutput = z.object({
	query: field.text("What was looked for.", "kiln"),
	hits: z
		.array(searchHitSchema.pick({ ...named, contractAddress: true, source: true }))
		.meta({ description: "Up to ten collections, the best first." }),
	hasMore: field.flag("Whether there are more than these."),
});

/** Makes the one resolver that names for tools, buys and plans go through, with its search. */
export function resolvingOf(context: RouteContext): Pick<ToolDeps, "search" | "resolve"> {
	const search = createSearcher(context);
	return { search, resolve: createResolver({ core: context.core, search }) };
}

/**
 * Returns the agent's tools about the market. Every caller may use them, and they change nothing.
 */
export function marketTools(context: RouteContext, resolving = resolvingOf(context)): AnyTool[] {
	const deps = { ...context, ...resolving };
	return [
		...collectionTools(deps),
		...tradeTools(deps),
		...floorTools(deps),
		...holdingTools(deps),
		...tokenTools(deps),
		...compareTools(deps),
		...marketWideTools(deps),
	];
}

/** Returns tools about all collections: drops, trending, discover, search. */
function marketWideTools(deps: ToolDeps): AnyTool[] {
	return [drops(deps), trending(deps), discover(deps), search(deps)];
}

function search(deps: ToolDeps) {
	return defineTool({
		...MARKET_READ,
		name: "search_collections",
		title: "Search",
		description:
			"Finds up to ten collections by the words of their names, by slug or by contract address. " +
			"`chain` and `contractAddress` are null where only the marketplace knows the collection.",
		input: z.strictObject({
			query: wordsInput.meta({
				description: "Words, a slug or a contract address.",
				examples: ["kiln"],
			}),
			chain: chainParam,
		}),
		output: searchOutput,
		async run({ query, chain }) {
			const { data, page } = await deps.search({
				text: query,
				chains: chainsOf(deps.core, chain),
				isOneChain: chain !== undefined,
				limit: ROWS_SHOWN,
				cursor: undefined,
			});
			const found = { query, hits: data, hasMore: page.hasMore };
			return { kind: "done", output: searchOutput.parse(found) };
		},
		line: ({ query, hits, hasMore }) => {
			if (hits.length === 0) return lineOf(`No collection found for "${shortText(query)}"`, []);
			const more = hasMore ? "+" : "";
			return lineOf(
				`${hits.length}${more} found for "${shortText(query)}":`,
				hits.map(({ contractAddress, ...hit }) => {
					const where = contractAddress === null ? "" : ` ${addressText(contractAddress)}`;
					return `${nameText(hit)} (${hit.chain ?? "not indexed"})${where}`;
				}),
				"; ",
			);
		},
		asOfMs: () => null,
	});
}

function drops(deps: ToolDeps) {
	return defineTool({
		...MARKET_READ,
		name: "read_drops",
		title: "Drops",
		description:
			"Shows up to ten announced mints: to come, under way and over, with their stages' prices in " +
			"ETH equivalents. It mints nothing.",
		input: dropsInput,
		output: dropsOutput,
		async run({ state, chain }) {
			const { data } = await answerDrops(deps, { state, chain, limit: ROWS_SHOWN });
			const shown = data.map((drop) => dropRow.parse(drop));
			return { kind: "done", output: { state: state ?? null, drops: shown } };
		},
		line: ({ state, drops }) =>
			lineOf(
				state === null ? "Drops:" : `Drops ${state}:`,
				drops.length === 0
					? ["none known"]
					: drops.map(
							(drop) =>
								`${nameText(drop)} (${drop.chain}) ` +
								(state === null ? `${drop.state ?? "time not known"}` : startText(drop.startsAt)),
						),
				"; ",
			),
		asOfMs: ({ drops }) => oldestMs(drops.map(({ seenAt }) => seenAt)),
	});
}

function trending(deps: ToolDeps) {
	return defineTool({
		...MARKET_READ,
		name: "read_trending",
		title: "Trending",
		description:
			"Shows the ten collections with most accepted sales in a window, with most volume, or whose " +
			"floor rose or fell most, with their volume and floor in ETH equivalents. Null is not known.",
		input: trendingInput,
		output: trendingOutput,
		async run({ by, window, chain }) {
			const query = { chains: chainsOf(deps.core, chain), window, limit: ROWS_SHOWN };
			const { rows, freshness } = await ranked(deps, by, query);
			return { kind: "done", output: trendingOutput.parse({ by, window, rows, freshness }) };
		},
		line: ({ by, window, rows }) =>
			lineOf(
				`${RANKING_TEXTS[by]} ${window}:`,
				rows.length === 0 ? ["nothing known"] : rows.map((row) => rankedText(by, row)),
				"; ",
			),
		asOfMs: ({ freshness }) => oldestMs([freshness.indexedAt]),
	});
}

const RANKING_TEXTS: Record<Ranking, string> = {
	sales: "Trending",
	volume: "Most volume",
	gainers: "Floors up most",
	losers: "Floors down most",
};

async function ranked(deps: ToolDeps, by: Ranking, query: Parameters<typeof readTrending>[1]) {
	if (by === "gainers" || by === "losers") {
		return readMovers(deps, { ...query, isRising: by === "gainers" });
	}
	const { rows, freshness } = await readTrending(deps, { ...query, by });
	return { rows: rows.map((row) => ({ ...row, floorChangePercent: null })), freshness };
}

/** Returns a row with what it is ranked by first. */
function rankedText(by: Ranking, row: z.output<typeof trendingOutput>["rows"][number]): string {
	const name = `${nameText(row)} (${row.chain})`;
	switch (by) {
		case "sales":
			return `${name} ${salesText(row.sales)} ${ethText(row.volumeNative)}`;
		case "volume":
			return `${name} ${ethText(row.volumeNative)} ${salesText(row.sales)}`;
		case "gainers":
		case "losers":
			return `${name} ${percentText(row.floorChangePercent)} to ${ethText(row.floorNative)}`;
		default:
			return unreachable(by);
	}
}

function discover(deps: ToolDeps) {
	return defineTool({
		...MARKET_READ,
		name: "read_discover",
		title: "Discover",
		description:
			"Shows what moves across all collections: by sales and by volume of 24 hours, and by mints of " +
			"the last hour. Amounts are ETH equivalents; null is not known.",
		input: z.strictObject({ chain: chainParam }),
		output: discoverOutput,
		async run({ chain }) {
			const chains = chainsOf(deps.core, chain);
			const nowMs = deps.core.clock.nowMs();
			// Read before the rows, so that it never claims more than they contain.
			const freshness = await readFreshness(deps.scanner, chains, { nowMs, listRefreshedAt: null });
			const sections = await readDiscover(deps, chains, SECTION_ROWS_SHOWN);
			return { kind: "done", output: discoverOutput.parse({ ...sections, freshness }) };
		},
		line: ({ trending, market, minting }) => {
			const [sold] = trending;
			const [traded] = market;
			const [minted] = minting;
			return lineOf(
				"Market:",
				[
					sold
						? `most sales ${nameText(sold)} (${sold.chain}) ${countText(sold.sales24h)}`
						: "nothing known",
					...(traded
						? [
								`most volume ${nameText(traded)} (${traded.chain}) ${ethText(traded.volume24hNative)}`,
							]
						: []),
					...(minted
						? [`minting ${nameText(minted)} (${minted.chain}) ${countText(minted.mints1h)}/h`]
						: []),
				],
				"; ",
			);
		},
		asOfMs: ({ freshness }) => oldestMs([freshness.indexedAt]),
	});
}
