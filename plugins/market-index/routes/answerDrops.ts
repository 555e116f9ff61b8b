import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import type { DropRow } from "#plugins/market-index/drops/DropRow.ts";
import {
	type DropPlace,
	type DropState,
	readDrops,
} from "#plugins/market-index/drops/readDrops.ts";
import { renderDrop } from "#plugins/market-index/drops/renderDrop.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";

const { countOrNone, count, address } = CURSOR_PART;
const newestFirst = createCursor("drops2", [countOrNone, count, address]);
const nextFirst = createCursor("soon2", [countOrNone, count, address]);

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
