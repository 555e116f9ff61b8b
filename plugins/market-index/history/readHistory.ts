// Reads how a collection's floor, listings and holders went in a stretch of past time.

import type { Queryable } from "#core/db/Database.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { displayNative, displayTime } from "#plugins/market-index/display.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import {
	HISTORY_METRIC,
	HISTORY_SOURCE,
	HISTORY_STEP_MS,
} from "#plugins/market-index/history/keepHistory.ts";
import type {
	History,
	HistoryPoint,
	HistorySeries,
} from "#plugins/market-index/schemas/history.ts";

/** The figures that are kept in time, and the stretches of time by their names. */
export const HISTORY_METRICS = ["floor", "listed", "holders"] as const;
export const HISTORY_RANGES = ["24h", "7d", "30d", "90d", "1y", "all"] as const;

export type HistoryMetric = (typeof HISTORY_METRICS)[number];

/** What a request asks for: a named range, or a stretch with a beginning. */
export type HistoryQuery = {
	metrics: readonly HistoryMetric[];
	range: (typeof HISTORY_RANGES)[number] | undefined;
	from: string | undefined;
	to: string | undefined;
};

type Stretch = { fromMs: number; toMs: number };

type Counted = { at: Date; value: number | null; source: number | null; asOf: Date | null };

type Seen = { at: Date; native: string; usd: number | null };

type Statement = { table: string; columns: string; condition: string };

/** Limits the points of one figure in one answer. */
export const HISTORY_POINTS_MAX = 500;

/** How far points may be apart; a range gets the first step with which its points fit. */
const STEPS_MS = [
	HISTORY_STEP_MS,
	15 * MINUTE_MS,
	HOUR_MS,
	4 * HOUR_MS,
	DAY_MS,
	7 * DAY_MS,
	28 * DAY_MS,
];

const RANGE_MS = {
	"24h": DAY_MS,
	"7d": 7 * DAY_MS,
	"30d": 30 * DAY_MS,
	"90d": 90 * DAY_MS,
	"1y": 365 * DAY_MS,
} as const;

/** No answer begins earlier: no NFT is that old, and the steps end there. */
const PAST_MAX_MS = 30 * 365 * DAY_MS;

const SOURCES = Object.entries(HISTORY_SOURCE);

const FLOORS: Statement = {
	table: "floor_snapshot",
	columns: "at, floor_native as native, floor_usd as usd",
	condition: "true",
};

const countsOf = (metric: number): Statement => ({
	table: "figure_history",
	columns: `at, value, source, as_of as "asOf"`,
	condition: `metric = ${metric}`,
});

/**
 * Reads the points of a stretch: the last one of each step, at most 500 of each figure. A figure is
 * known from a point on until the next one; where points of an hour are missing, nobody looked.
 */
export async function readHistory(
	db: Queryable,
	collectionId: number,
	{ query, nowMs }: { query: HistoryQuery; nowMs: number },
): Promise<History> {
	const asked = stretchOf(query, nowMs);
	const keptFrom = await Promise.all(
		query.metrics.map((metric) => readKeptFrom(db, collectionId, statementOf(metric))),
	);
	const first = Math.min(asked.toMs, ...keptFrom.flatMap((at) => at?.getTime() ?? []));
	// Of `all` the first point is the beginning, so that steps are as short as they can be.
	const fromMs = asked.fromMs ?? Math.max(first, nowMs - PAST_MAX_MS);
	const stretch = { fromMs, toMs: asked.toMs };
	const stepMs = stepOf(stretch);
	const data = await Promise.all(
		query.metrics.map(async (metric, index): Promise<HistorySeries> => {
			const reading = { collectionId, stretch, stepMs };
			const points =
				metric === "floor"
					? (await readPoints<Seen>(db, { ...reading, statement: FLOORS })).map(floorPoint)
					: (await readPoints<Counted>(db, { ...reading, statement: statementOf(metric) })).map(
							countPoint,
						);
			return {
				metric,
				unit: metric === "floor" ? "ETH" : "count",
				keptFrom: displayTime(keptFrom[index] ?? null),
				points,
			};
		}),
	);
	return {
		from: new Date(fromMs).toISOString(),
		to: new Date(asked.toMs).toISOString(),
		stepSeconds: stepMs / 1_000,
		data,
	};
}

/** Returns the stretch that is asked for; the beginning of `all` is not known yet. */
function stretchOf(
	{ range, from, to }: HistoryQuery,
	nowMs: number,
): { fromMs: number | null; toMs: number } {
	if (from === undefined && to === undefined) {
		const fromMs = range === "all" ? null : nowMs - RANGE_MS[range ?? "7d"];
		return { fromMs, toMs: nowMs };
	}
	if (range !== undefined) throw refused("range", "cannot be given together with from or to");
	if (from === undefined) throw refused("from", "must be given where to is");
	const fromMs = Math.max(Date.parse(from), nowMs - PAST_MAX_MS);
	const toMs = to === undefined ? nowMs : Date.parse(to);
	if (fromMs > nowMs) throw refused("from", "is a time to come");
	if (toMs > nowMs + MINUTE_MS) throw refused("to", "is a time to come");
	if (toMs <= fromMs) throw refused("to", "must be later than from");
	return { fromMs, toMs };
}

function refused(path: string, message: string) {
	return marketFault.validationError({
		public: `${path} ${message}.`,
		members: { issues: [{ path, message }] },
	});
}

function stepOf({ fromMs, toMs }: Stretch): number {
	const fits = (ms: number) => Math.ceil((toMs - fromMs) / ms) < HISTORY_POINTS_MAX;
	return STEPS_MS.find(fits) ?? 28 * DAY_MS;
}

function statementOf(metric: HistoryMetric): Statement {
	return metric === "floor" ? FLOORS : countsOf(HISTORY_METRIC[metric]);
}

/** Reads since when a figure is kept, by the primary key; null: not at all. */
async function readKeptFrom(
	db: Queryable,
	collectionId: number,
	{ table, condition }: Statement,
): Promise<Date | null> {
	const rows = await db.query<{ at: Date }>(
		`select at from market_index.${table}
		where collection_id = $1 and ${condition} order by at limit 1`,
		[collectionId],
	);
	return rows[0]?.at ?? null;
}

/** Reads the last point of each step, by the primary key. */
function readPoints<Row>(
	db: Queryable,
	given: { collectionId: number; stretch: Stretch; stepMs: number; statement: Statement },
): Promise<Row[]> {
	const { table, columns, condition } = given.statement;
	return db.query<Row>(
		`select distinct on (step) ${columns},
			date_bin($4 * interval '1 millisecond', at, timestamptz '1970-01-01 00:00:00+00') as step
		from market_index.${table}
		where collection_id = $1 and ${condition} and at >= $2 and at <= $3
		order by step, at desc`,
		[
			given.collectionId,
			new Date(given.stretch.fromMs),
			new Date(given.stretch.toMs),
			given.stepMs,
		],
	);
}

function floorPoint({ at, native, usd }: Seen): HistoryPoint {
	return {
		at: at.toISOString(),
		value: displayNative(native),
		valueRaw: native,
		valueUsd: usd,
		source: "provider",
		asOf: at.toISOString(),
	};
}

function countPoint({ at, value, source, asOf }: Counted): HistoryPoint {
	const name = SOURCES.find(([, number]) => number === source)?.[0];
	return {
		at: at.toISOString(),
		value,
		valueRaw: null,
		valueUsd: null,
		source: name === "provider" || name === "walk" || name === "chain" ? name : null,
		asOf: displayTime(asOf),
	};
}
