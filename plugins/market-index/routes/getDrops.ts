import { Elysia } from "elysia";
import { z } from "zod";
import { CURSOR_PART, createCursor } from "#plugins/market-index/cursor/createCursor.ts";
import type { DropRow } from "#plugins/market-index/drops/DropRow.ts";
import { DROP_STATES, type DropPlace, readDrops } from "#plugins/market-index/drops/readDrops.ts";
import { renderDrop } from "#plugins/market-index/drops/renderDrop.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { chainOfRow } from "#plugins/market-index/read/chainOfRow.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { cursorParam } from "#plugins/market-index/schemas/cursorParam.ts";
import { dropSchema } from "#plugins/market-index/schemas/dropSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { pageSchema } from "#plugins/market-index/schemas/pageSchema.ts";

const { countOrNone, count, address } = CURSOR_PART;
const newestFirst = createCursor("drops1", [countOrNone, count, address]);
const nextFirst = createCursor("soon1", [countOrNone, count, address]);

/** Mints to come, under way and over. */
export function getDrops({ core }: RouteContext) {
	return new Elysia().get(
		"/drops",
		async ({ query }) => {
			const chains = chainsOf(core, query.chain);
			const nowMs = core.clock.nowMs();
			const cursors = query.state === "upcoming" ? nextFirst : newestFirst;
			const found = await readDrops(core.db, {
				chainIds: chains.map(({ id }) => id),
				state: query.state ?? null,
				nowMs,
				after: query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor)),
				limit: query.limit + 1,
			});
			const shown = found.slice(0, query.limit);
			const last = shown.at(-1);
			const hasMore = found.length > query.limit;
			return {
				data: shown.map((row) => renderDrop(chainOfRow(chains, row), row, nowMs)),
				page: { nextCursor: hasMore && last ? cursors.encode(partsOf(last)) : null, hasMore },
			};
		},
		{
			query: z.object({
				chain: chainParam,
				state: z.enum(DROP_STATES).optional().meta({ description: "Only drops in this state." }),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam,
			}),
			response: { 200: z.object({ data: z.array(dropSchema), page: pageSchema }) },
			detail: {
				tags: ["market"],
				summary: "Lists drops",
				description: "By their start: `upcoming` the next one first, otherwise the newest first.",
			},
		},
	);
}

function partsOf({ startsAt, chainId, contract }: DropRow): string[] {
	return [startsAt === null ? "none" : String(startsAt.getTime()), String(chainId), contract];
}

function placeOf([startsAt, chainId, contract]: string[]): DropPlace {
	return {
		startsAtMs: startsAt === "none" ? null : Math.min(Number(startsAt), DATE_MS_MAX),
		chainId: Math.min(Number(chainId), Number.MAX_SAFE_INTEGER),
		contract: `0x${(contract ?? "0x").slice(2)}`,
	};
}

const DATE_MS_MAX = 8_640_000_000_000_000;
