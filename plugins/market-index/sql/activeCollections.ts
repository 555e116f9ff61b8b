import { HOUR_MS } from "#core/time/units.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import type { Window } from "#plugins/market-index/rollup/windowOf.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";
import { busyDays } from "#plugins/market-index/sql/busyDays.ts";
import { orderingColumns } from "#plugins/market-index/sql/collectionOrder.ts";
import { sumsSince } from "#plugins/market-index/sql/sumsSince.ts";

const [MINUTES, HOURS, DAYS] = TIERS;

export type Ranking = {
	window: Window;
	nowMs: number;
	/** The first criterion of the order, descending. */
	by: "sales" | "volume" | "mints";
	/** Bound placeholders of the chains and the page's limit. */
	chains: string;
	limit: string;
	/** The condition on a collection `c`. */
	tracked: string;
};

/**
 * Returns the collections that may be among a page's first, as CTEs; the last, `active`, has their
 * exact figures in the window: `id`, `sales`, `priced`, `volume`, `mints`, and `orderingColumns`.
 * Where the order is by mints, only those are summed up.
 *
 * Summing up a day of every collection costs fifteen times more on a busy chain than on a quiet
 * one. So whole buckets of a coarse tier give each collection's minimum and maximum (`bound`). The
 * first page of those is summed exactly (`seed`); a collection whose maximum is below the least of
 * theirs (`least`) cannot be on the page, and is not read. On a page that is not full every active
 * collection is.
 */
export function activeCollections(binder: Binder, ranking: Ranking): string {
	const { window, nowMs, by, chains, limit, tracked } = ranking;
	const tier = boundTier(ranking);
	const fromMs = bucketOf(window.start.getTime(), tier.ms);
	const from = binder.bind(new Date(fromMs), "timestamptz");
	const bound =
		by !== "mints" && tier === DAYS
			? busyDays({ by, chains, limit, from, days: daysIn(window, nowMs) })
			: { ctes: wholeTier({ table: tier.table, by, chains, from }), missing: null };
	// Their limits keep these laterals loops over primary keys, in the order of what comes before.
	const isTracked = `cross join lateral (
				select ${orderingColumns("c")} from market_index.collection as c
				where c.id = most.id and ${tracked} limit 1
			) as c`;
	const sums =
		by === "mints" && tier === HOURS
			? mintsSince(binder, { window, fromMs })
			: `select coalesce(sum(sales), 0) as sales, coalesce(sum(priced), 0) as priced,
					coalesce(sum(volume), 0) as volume, coalesce(sum(mints), 0) as mints
				from (${sumsSince(binder, window, "most.id")}) as part`;
	const exactly = `cross join lateral (${sums}) as exact`;
	return `${bound.ctes}, seed as materialized (
			select most.id, exact.*, ${orderingColumns("most")} from (
				select most.id, most.known, ${orderingColumns("c")}
				from (select * from bound order by known desc) as most ${isTracked}
				order by most.known desc limit ${limit}
			) as most ${exactly}
		), least as materialized (
			select case when count(*) < ${limit} then 0 else min(${by}) end as amount from seed
		), active as materialized (
			select * from seed where ${by} > 0
			union all
			select most.id, exact.*, ${orderingColumns("c")} from (
				select id, known from bound
				where most >= (select amount from least) and id not in (select id from seed)
				${bound.missing === null ? "" : `union all ${bound.missing}`}
			) as most ${isTracked} ${exactly}
			where exact.${by} > 0
		)`;
}

/**
 * Returns SQL for the mints of `most.id` in a window, of which `most.known` are those of its whole
 * hours: the minutes before the window are subtracted. Half of what `sumsSince` reads.
 */
function mintsSince(binder: Binder, given: { window: Window; fromMs: number }): string {
	const minutes: Date[] = [];
	for (let atMs = given.fromMs; atMs < given.window.start.getTime(); atMs += MINUTES.ms) {
		minutes.push(new Date(atMs));
	}
	return `select null::int8 as sales, null::int8 as priced, 0::numeric as volume,
				most.known - coalesce(sum(mints), 0) as mints
			from market_index.${MINUTES.table}
			where collection_id = most.id and bucket = any(${binder.bind(minutes, "timestamptz[]")})`;
}

/** Returns SQL for every collection of a tier, by `rollup_*_recent`: one to thirteen rows each. */
function wholeTier(given: { table: string; by: string; chains: string; from: string }): string {
	const { table, by, chains, from } = given;
	return `bound as materialized (
			select rollup.collection_id as id, sum(rollup.${by}) as known, sum(rollup.${by}) as most
			from market_index.${table} as rollup
			where rollup.chain_id = any(${chains}) and rollup.bucket >= ${from} and rollup.${by} > 0
			group by rollup.collection_id
		)`;
}

function boundTier({ window, nowMs }: Ranking): (typeof TIERS)[number] {
	const lengthMs = nowMs - window.start.getTime();
	if (lengthMs < HOUR_MS) return MINUTES;
	return lengthMs < 12 * HOUR_MS ? HOURS : DAYS;
}

/** Returns the number of days (UTC) that a window touches. */
function daysIn(window: Window, nowMs: number): number {
	const fromMs = bucketOf(window.start.getTime(), DAYS.ms);
	return (bucketOf(nowMs, DAYS.ms) - fromMs) / DAYS.ms + 1;
}
