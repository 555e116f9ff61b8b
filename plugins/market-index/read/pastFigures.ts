// Reads a collection's figures of a past time: its sales of a period, and floors that were seen.

import { type Period, periodOf } from "#core/period.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { displayNative } from "#plugins/market-index/display.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { coverageOf, heldBy, readChainSpans } from "#plugins/market-index/figures/coverage.ts";
import { periodFigures } from "#plugins/market-index/figures/figures.ts";
import { readFloorAt, readFloorRange, readFloorsSince } from "#plugins/market-index/floor.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { type RouteContext, resolveChain } from "#plugins/market-index/read/context.ts";
import { renderFigure } from "#plugins/market-index/render/figures.ts";
import { bucketOf } from "#plugins/market-index/rollup/windows.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figures.ts";
import { readEventSpans } from "#plugins/market-index/sql/readEvents.ts";
import { readPeriodSums } from "#plugins/market-index/sql/windowSums.ts";

type Reads = Pick<RouteContext, "core" | "scanner">;

export type PastSales = {
	from: string;
	until: string;
	/** Since when sales are known without a gap up to a source's end; null: not at all. */
	keptFrom: string | null;
	figures: Record<"volume" | "sales" | "average" | "highest" | "lowest", ShownFigure>;
};

export type PastFloor = {
	from: string;
	/** The end of the period; equal to `from` for a moment. */
	until: string;
	floorNative: number | null;
	floorUsd: number | null;
	seenAt: string | null;
	lowestNative: number | null;
	highestNative: number | null;
	firstNative: number | null;
	/** When the first was seen; null for a moment. */
	firstAt: string | null;
	/** Since when floors of it are kept; null: none is. */
	keptFrom: string | null;
};

/** Minutes of sales may be pruned after 35 days; hours never are. */
const MINUTES_KEPT_MS = 30 * DAY_MS;

/** Returns the period that a name means now. Throws `validation_error` for a time to come. */
export function requirePeriod(name: string, nowMs: number, path: string): Period {
	const period = periodOf(name, nowMs);
	if (period !== null) return period;
	const message = `"${name}" is still to come, is no date, or is more than ten years ago.`;
	throw marketFault.validationError({ public: message, members: { issues: [{ path, message }] } });
}

/** Returns what a collection sold in a period, in whole minutes, or hours where it is long ago. */
export async function readPastSales(
	{ core, scanner }: Reads,
	found: FoundCollection,
	period: Period,
): Promise<PastSales> {
	const nowMs = core.clock.nowMs();
	const step = period.fromMs < nowMs - MINUTES_KEPT_MS ? HOUR_MS : MINUTE_MS;
	const fromMs = bucketOf(period.fromMs, step);
	// Up to now there is no upper end: a block of the near future counts.
	const isNow = period.untilMs >= nowMs;
	const endMs = isNow ? bucketOf(nowMs, HOUR_MS) + 2 * HOUR_MS : bucketOf(period.untilMs, step);
	const [spans, events] = await Promise.all([
		readChainSpans(scanner, resolveChain(core, found.chain).id),
		readEventSpans(core.db, found.id),
	]);
	const range = { from: new Date(fromMs), until: new Date(endMs) };
	const sums = await readPeriodSums(core.db, found.id, range);
	const sources = heldBy(events, spans, "sales");
	const untilMs = Math.min(period.untilMs, nowMs);
	const figures = periodFigures(sums, coverageOf({ startMs: fromMs, nowMs: untilMs }, sources));
	const kept = sources.flatMap(({ span }) => span?.fromMs ?? []);
	const eth = (figure: keyof typeof figures, wei: string | null) =>
		renderFigure(figures[figure], { unit: "ETH", wei });
	return {
		from: timeOf(fromMs),
		until: timeOf(untilMs),
		keptFrom: kept.length === 0 ? null : timeOf(Math.min(...kept)),
		figures: {
			volume: eth("volume", sums.volume),
			sales: renderFigure(figures.sales, { unit: "count" }),
			average: eth("average", null),
			highest: eth("highest", sums.high),
			lowest: eth("lowest", sums.low),
		},
	};
}

/**
 * Returns the floor that was stored for a moment, or those of a period. A collection's floor is
 * read every 15 minutes at least while a client follows it: otherwise it is not known.
 */
export async function readPastFloor(
	{ core }: Pick<Reads, "core">,
	found: FoundCollection,
	period: Period,
): Promise<PastFloor> {
	const { db } = core;
	const [from, until] = [new Date(period.fromMs), new Date(period.untilMs)];
	const isMoment = period.fromMs === period.untilMs;
	const [at, range, kept] = await Promise.all([
		isMoment ? readFloorAt(db, { collectionId: found.id, at: from }) : null,
		isMoment ? null : readFloorRange(db, { collectionId: found.id, from, until }),
		readFloorsSince(db, found.id),
	]);
	return {
		from: from.toISOString(),
		until: until.toISOString(),
		floorNative: displayNative(at?.native ?? range?.last ?? null),
		floorUsd: at?.usd ?? null,
		seenAt: (at?.at ?? range?.lastAt)?.toISOString() ?? null,
		lowestNative: displayNative(range?.lowest ?? null),
		highestNative: displayNative(range?.highest ?? null),
		firstNative: displayNative(range?.first ?? null),
		firstAt: range?.firstAt.toISOString() ?? null,
		keptFrom: kept?.toISOString() ?? null,
	};
}

function timeOf(ms: number): string {
	return new Date(ms).toISOString();
}
