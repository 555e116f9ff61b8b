// Serves lists across collections: discover, drops, search, trending.

import { Elysia } from "elysia";
import { z } from "zod";
import { CURSOR_PART, createCursor, limitParam, pageQuery, pageSchema } from "#core/http/pages.ts";
import { takesSlot } from "#core/http/routeMarks.ts";
import { chainOfRow } from "#plugins/market-index/display.ts";
import {
	DROP_STATES,
	type DropPlace,
	type DropRow,
	type DropState,
	readDrops,
	renderDrop,
} from "#plugins/market-index/drops/drops.ts";
import { DATE_MS_MAX } from "#plugins/market-index/event/MarketEvent.ts";
import { LIFECYCLES } from "#plugins/market-index/lifecycle.ts";
import { chainsOf, type RouteContext } from "#plugins/market-index/read/context.ts";
import { PAGES_MOVE } from "#plugins/market-index/read/listPaging.ts";
import {
	readListedDiscover,
	readListedTrending,
	TRENDING_WINDOWS,
} from "#plugins/market-index/read/trending.ts";
import { answerShared, chainParam, PAGE_LIMIT } from "#plugins/market-index/routes/params.ts";
import {
	discoverMintSchema,
	dropSchema,
	freshnessSchema,
	listedDiscoverRowSchema,
	listedTrendingRowSchema,
	searchHitSchema,
} from "#plugins/market-index/schemas/lists.ts";
import { searchMatchSchema, searchUnknownSchema } from "#plugins/market-index/schemas/search.ts";
import { createSearcher } from "#plugins/market-index/search/createSearcher.ts";

const { countOrNone, count, address } = CURSOR_PART;
const newestFirstCursors = createCursor("drops2", [countOrNone, count, address]);
const nextFirstCursors = createCursor("soon2", [countOrNone, count, address]);

const rows = (description: string) => z.array(listedDiscoverRowSchema).meta({ description });

const discoverSchema = z
	.object({
		trending: rows("Collections by sales in 24 hours."),
		mints: z.array(discoverMintSchema).meta({ description: "Accepted mints, newest first." }),
		market: rows("Collections that ever sold, by volume in 24 hours."),
		minting: rows("Collections with mints in the last hour, most mints first."),
	})
	.meta({ id: "Discover", description: "What moves across all collections." });

const dropPageSchema = z
	.object({
		data: z.array(dropSchema).meta({ description: "Drops by their start." }),
		page: pageSchema,
	})
	.meta({ id: "DropPage", description: "A page of drops." });

const searchPageSchema = z
	.object({
		data: z.array(searchHitSchema).meta({ description: "Collections, the best first." }),
		matches: z.array(searchMatchSchema).meta({
			description: "What the query means besides a collection; on the first page alone.",
		}),
		unknown: z.array(searchUnknownSchema).meta({
			description: "What could not be searched; empty where everything was.",
		}),
		page: pageSchema,
	})
	.meta({ id: "SearchPage", description: "A page of what a search found." });

const trendingSchema = z
	.object({
		rows: z.array(listedTrendingRowSchema).meta({ description: "Collections, most sales first." }),
		page: pageSchema,
		freshness: freshnessSchema,
	})
	.meta({ id: "Trending", description: "Collections by sales in a window." });

/** Serves what moves across all collections. */
export function getDiscover({ core, scanner, prices }: RouteContext) {
	return new Elysia().get(
		"/discover",
		({ query, request }) => {
			const chains = chainsOf(core, query.chain);
			const context = { core, scanner, prices };
			return answerShared(request, () => readListedDiscover(context, chains, query.limit));
		},
		{
			query: z.object({ chain: chainParam, limit: limitParam(PAGE_LIMIT.default, PAGE_LIMIT.max) }),
			response: {
				200: discoverSchema,
			},
			detail: {
				operationId: "getDiscover",
				tags: ["market"],
				summary: "Shows what moves across all collections",
				description:
					"`trending` by sales in 24 hours; `mints` the newest accepted mints; `market` by " +
					"volume in 24 hours, collections that ever sold; `minting` those with mints in the " +
					"last hour, most mints first. At most `limit` rows each; all chains unless `chain`.",
			},
		},
	);
}

/** Serves mints that are upcoming, under way and over. */
export function getDrops(context: RouteContext) {
	return new Elysia().get("/drops", async ({ query }) => answerDrops(context, query), {
		query: z.object({
			chain: chainParam,
			state: z.enum(DROP_STATES).optional().meta({ description: "Only drops in this state." }),
			...pageQuery(PAGE_LIMIT),
		}),
		response: { 200: dropPageSchema },
		detail: {
			operationId: "listDrops",
			tags: ["market"],
			summary: "Lists drops",
			description: "By their start: `upcoming` the next one first, otherwise the newest first.",
		},
	});
}

/**
 * Returns a page of drops by their start: the next one first if they are upcoming, else the newest.
 */
export async function answerDrops(
	{ core, prices }: Pick<RouteContext, "core" | "prices">,
	query: {
		chain?: string | undefined;
		state?: DropState | undefined;
		cursor?: string | undefined;
		limit: number;
	},
) {
	const chains = chainsOf(core, query.chain);
	const nowMs = core.clock.nowMs();
	const { state } = query;
	const chain = query.chain === undefined ? undefined : chains[0]?.slug;
	const cursors = (state === "upcoming" ? nextFirstCursors : newestFirstCursors).of({
		chain,
		state,
	});
	const found = await readDrops(core.db, {
		chainIds: chains.map(({ id }) => id),
		state: state ?? null,
		nowMs,
		after: query.cursor === undefined ? null : placeOfCursor(cursors.decode(query.cursor)),
		limit: query.limit + 1,
	});
	const shown = found.slice(0, query.limit);
	const last = shown.at(-1);
	const hasMore = found.length > query.limit;
	return {
		data: shown.map((row) => renderDrop(chainOfRow(chains, row), row, { prices, nowMs })),
		page: { nextCursor: hasMore && last ? cursors.encode(cursorPartsOf(last)) : null, hasMore },
	};
}

/** Serves a search for collections by the words of their names, by slug or by address. */
export function getSearch(context: RouteContext) {
	const search = createSearcher(context);
	return new Elysia().get(
		"/search",
		({ query }) =>
			search({
				text: query.q,
				chains: chainsOf(context.core, query.chain),
				isOneChain: query.chain !== undefined,
				limit: query.limit,
				cursor: query.cursor,
				isWide: true,
			}),
		{
			query: z.object({
				q: z
					.string()
					.regex(/^(?=.*\S)[^\p{Cc}]{1,128}$/u, "must be 1 to 128 characters")
					.meta({
						description:
							"Words, a slug, an address, a transaction, an ENS name, or a token: `tidal cats 12`, " +
							"`tidal-cats #12`.",
						examples: ["tidal cats"],
					}),
				chain: chainParam,
				...pageQuery(PAGE_LIMIT),
			}),
			response: { 200: searchPageSchema },
			detail: {
				...takesSlot(),
				operationId: "searchCollections",
				tags: ["market"],
				summary: "Searches collections, accounts, transactions and tokens",
				description:
					"Collections whose name or slug has words that begin with all words of `q`; the one " +
					"whose slug it is first, then by volume of all time. Where there are none, what the " +
					"provider finds; nothing where it is away or has been searched too often. A page of words " +
					"that very many begin with may be short and have a next one all the same. `matches` are " +
					"accounts, transactions (asked of the chains), tokens, and who has an ENS name, where " +
					"Ethereum is followed.",
			},
		},
	);
}

/** Serves collections by sales in a window. */
export function getTrending(context: RouteContext) {
	return new Elysia().get(
		"/trending",
		({ query, request }) => {
			const asked = { ...query, chains: chainsOf(context.core, query.chain) };
			return answerShared(request, () => readListedTrending(context, asked));
		},
		{
			query: z.object({
				chain: chainParam,
				window: z
					.enum(TRENDING_WINDOWS)
					.default("24h")
					.meta({ description: "Sales of this long until now are counted." }),
				...pageQuery(PAGE_LIMIT),
				lifecycle: z
					.enum([...LIFECYCLES, "ended"])
					.optional()
					.meta({
						description:
							"Only rows that show this lifecycle; `ended`: all that sold out, whatever they show.",
					}),
			}),
			response: { 200: trendingSchema },
			detail: {
				operationId: "listTrending",
				tags: ["market"],
				summary: "Lists collections by sales in a window",
				description:
					"Accepted sales, then volume, then the last sale and mint. The window begins at a " +
					"whole minute. Without `chain` all chains; `freshness` is then that of the one that " +
					"lags most. `why` has the terms of the order; `changes` compares each window with as " +
					`long a time before it. ${PAGES_MOVE}`,
			},
		},
	);
}

function placeOfCursor([startsAt, chainId, contract]: string[]): DropPlace {
	return {
		startsAtMs: startsAt === "none" ? null : Math.min(Number(startsAt), DATE_MS_MAX),
		chainId: Math.min(Number(chainId), Number.MAX_SAFE_INTEGER),
		contract: `0x${(contract ?? "0x").slice(2)}`,
	};
}

function cursorPartsOf({ startsAt, chainId, contract }: DropRow): string[] {
	return [startsAt === null ? "none" : String(startsAt.getTime()), String(chainId), contract];
}
