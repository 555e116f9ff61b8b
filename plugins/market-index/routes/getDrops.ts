import { Elysia } from "elysia";
import { z } from "zod";
import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import type { DropRow } from "#plugins/market-index/drops/DropRow.ts";
import { DROP_STATES, type DropPlace, readDrops } from "#plugins/market-index/drops/readDrops.ts";
import { renderDrop } from "#plugins/market-index/drops/renderDrop.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { dropSchema } from "#plugins/market-index/schemas/dropSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";

const { countOrNone, count, address } = CURSOR_PART;
const newestFirst = createCursor("drops2", [countOrNone, count, address]);
const nextFirst = createCursor("soon2", [countOrNone, count, address]);

const answerSchema = z
	.object({
		data: z.array(dropSchema).meta({ description: "Drops by their start." }),
		page: pageSchema,
	})
	.meta({ id: "DropPage", description: "A page of drops." });

/** Mints to come, under way and over. */
export function getDrops({ core, prices }: RouteContext) {
	return new Elysia().get(
		"/drops",
		async ({ query }) => {
			const chains = chainsOf(core, query.chain);
			const nowMs = core.clock.nowMs();
			const { state } = query;
			const chain = query.chain === undefined ? undefined : chains[0]?.slug;
			const cursors = (state === "upcoming" ? nextFirst : newestFirst).of({ chain, state });
			const found = await readDrops(core.db, {
				chainIds: chains.map(({ id }) => id),
				state: state ?? null,
				nowMs,
				after: query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor)),
				limit: query.limit + 1,
			});
			const shown = found.slice(0, query.limit);
			const last = shown.at(-1);
			const hasMore = found.length > query.limit;
			return {
				data: shown.map((row) => renderDrop(chainOfRow(chains, row), row, { prices, nowMs })),
				page: { nextCursor: hasMore && last ? cursors.encode(partsOf(last)) : null, hasMore },
			};
		},
		{
			query: z.object({
				chain: chainParam,
				state: z.enum(DROP_STATES).optional().meta({ description: "Only drops in this state." }),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(),
			}),
			response: { 200: answerSchema },
			detail: {
				operationId: "listDrops",
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
