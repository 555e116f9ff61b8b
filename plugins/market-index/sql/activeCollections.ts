import { bucketOf, TIERS } from "#plugins/market-index/apply/bucketOf.ts";
import type { Window } from "#plugins/market-index/read/windowOf.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";
import { busyDays } from "#plugins/market-index/sql/busyDays.ts";
import { sumsSince } from "#plugins/market-index/sql/sumsSince.ts";

const HOUR_MS = 3_600_000;

const [MINUTES, HOURS, DAYS] = TIERS;

export type Ranking = {
	window: Window;
	nowMs: number;
	/** What the order begins with: the most of it comes first. */
	by: "sales" | "volume" | "mints";
	/** Bound placeholders of the chains and the page's limit. */
	chains: string;
	limit: string;
	/** Which collections `c` count. */
	tracked: string;
};

/**
 * The collections that may be among a page's first, as CTEs; the last, `active`, has their exact
 * figures in the window: `id`, `sales`, `volume`, `mints`.
 *
 * Summing up a day of every collection costs fifteen times more on a busy chain than on a quiet
 * one. So whole buckets of a coarse tier say how much each has at least and at most (`bound`). The
 * first page of those is summed exactly (`seed`); whoever's most is less than the least of theirs
 * (`least`) cannot be on the page, and is not looked at. On a page that is not full everyone active
 * is.
 */
export function activeCollections(binder: Binder, ranking: Ranking): string {
	const { window, nowMs, by, chains, limit, tracked } = ranking;
	const tier = boundTier(ranking);
	const from = binder.bind(new Date(bucketOf(window.start.getTime(), tier.ms)), "timestamptz");
	const bound =
		by === "sales" && tier === DAYS
			? busyDays({ chains, limit, from, days: daysIn(window, nowMs) })
			: { ctes: wholeTier({ table: tier.table, by, chains, from }), missing: null };
	// Their limits keep these laterals loops over primary keys, in the order of what comes before.
	const isTracked = `cross join lateral (
				select from market_index.collection as c where c.id = most.id and ${tracked} limit 1
			) as c`;
	const exactly = `cross join lateral (
				select coalesce(sum(sales), 0) as sales, coalesce(sum(volume), 0) as volume,
					coalesce(sum(mints), 0) as mints
				from (${sumsSince(binder, window, "most.id")}) as part
			) as exact`;
	return `${bound.ctes}, seed as materialized (
			select most.id, exact.* from (
				select most.id from (select * from bound order by known desc) as most ${isTracked}
				order by most.known desc limit ${limit}
			) as most ${exactly}
		), least as materialized (
			select case when count(*) < ${limit} then 0 else min(${by}) end as amount from seed
		), active as materialized (
			select * from seed where ${by} > 0
			union all
			select most.id, exact.* from (
				select id from bound
				where most >= (select amount from least) and id not in (select id from seed)
				${bound.missing === null ? "" : `union all ${bound.missing}`}
			) as most ${isTracked} ${exactly}
			where exact.${by} > 0
		)`;
}

/** Every collection of a tier, by `rollup_*_recent`: one to thirteen rows each. */
function wholeTier(given: { table: string; by: string; chains: string; from: string }): string {
	const { table, by, chains, from } = given;
	return `bound as materialized (
			select rollup.collection_id as id, sum(rollup.${by}) as known, sum(rollup.${by}) as most
			from market_index.${table} as rollup
			where rollup.chain_id = any(${chains}) and rollup.bucket >= ${from}
			group by rollup.collection_id having sum(rollup.${by}) > 0
		)`;
}

function boundTier({ window, nowMs }: Ranking): (typeof TIERS)[number] {
	const lengthMs = nowMs - window.start.getTime();
	if (lengthMs < HOUR_MS) return MINUTES;
	return lengthMs < 12 * HOUR_MS ? HOURS : DAYS;
}

/** Days (UTC) that a window touches. */
function daysIn(window: Window, nowMs: number): number {
	const fromMs = bucketOf(window.start.getTime(), DAYS.ms);
	return (bucketOf(nowMs, DAYS.ms) - fromMs) / DAYS.ms + 1;
}
