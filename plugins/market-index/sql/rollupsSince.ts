import type { Window } from "#plugins/market-index/rollup/windowOf.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";

/**
 * Returns the rollups of a window as a subquery: each moment once, in the coarsest tier that fits.
 *
 * `filter` is over `rollup`: `rollup.collection_id = …` goes by the primary keys, `rollup.chain_id
 * = …` by the indexes `rollup_*_recent`. Either way the cost depends on the window's length and the
 * number of collections, never on the number of events.
 */
export function rollupsSince(binder: Binder, window: Window, filter: string): string {
	const start = binder.bind(window.start, "timestamptz");
	const hours = binder.bind(window.hours, "timestamptz");
	const days = binder.bind(window.days, "timestamptz");
	const tier = (table: string, bounds: string) =>
		`select rollup.collection_id, rollup.sales, rollup.priced, rollup.units, rollup.volume,
			rollup.mints, rollup.high, rollup.low
		from market_index.${table} as rollup where ${filter} and ${bounds}`;
	return [
		tier("rollup_minute", `rollup.bucket >= ${start} and rollup.bucket < ${hours}`),
		tier("rollup_hour", `rollup.bucket >= ${hours} and rollup.bucket < ${days}`),
		tier("rollup_day", `rollup.bucket >= ${days}`),
	].join("\nunion all ");
}
