import { AMOUNT_MAX } from "#plugins/market-index/rollup/capAmount.ts";

/**
 * Days read for each place of a page and each day of the window. Two would do where the r-th
 * collection sells 1/r of what the first sells (a class is at most twice its least).
 */
const ROWS_PER_PLACE = 3;

/** Of `rollup_day.volume_class`: the last class, and the digits of the least volume in class 2. */
const VOLUME_CLASS_MAX = 65;
const VOLUME_DIGITS_MIN = 40;

/**
 * What days are ranked by: the column of their classes, with the index `rollup_day_busy` or
 * `rollup_day_volume` on it, and the most that a day of class `digits` can have.
 */
const RANKED = {
	sales: { column: "sales_class", most: "(1::int8 << digits) - 1" },
	volume: {
		column: "volume_class",
		most: `case when digits = ${VOLUME_CLASS_MAX} then ${AMOUNT_MAX}
				else 2::numeric ^ (digits + ${VOLUME_DIGITS_MIN - 1}) end`,
	},
} as const;

/**
 * Returns bounds of collections from the busiest days of a window, as CTEs: `bound (id, known,
 * most)` with the sales or the volume that was read, and with the most that unread days may add.
 *
 * Days are read class by class, the highest first (`peak`), so a page costs as much with a hundred
 * collections as with a hundred thousand. An unread day has at most `unread.amount`. `missing` are
 * the collections of which no day was read: executed only where all of their days together may
 * reach the page, as where all collections trade about alike.
 */
export function busyDays(given: {
	by: keyof typeof RANKED;
	/** Bound placeholders of the chains, the page's limit and the first day. */
	chains: string;
	limit: string;
	from: string;
	/** The number of days until now. */
	days: number;
}): { ctes: string; missing: string } {
	const { by, chains, limit, from, days } = given;
	const { column, most } = RANKED[by];
	const rows = `${limit} * ${days * ROWS_PER_PLACE}`;
	// Days after now as well: a block may be of the near future.
	const buckets = `select
					1 + coalesce(max(extract(epoch from last.bucket - ${from})), 0)::int8 / 86400
				from unnest(${chains}) as chain (id) cross join lateral (
					select max(bucket) as bucket from market_index.rollup_day where chain_id = chain.id
				) as last`;
	// Its own limit keeps the lateral a loop over the index, in the order of what comes before. `> 0`
	// is the index's own condition: without it PostgreSQL could not use that index.
	const ctes = `peak as materialized (
			select row.collection_id, row.amount, class.digits from (
				select chain.id, digits from unnest(${chains}) as chain (id) cross join lateral (
					select max(${column}) as class from market_index.rollup_day
					where chain_id = chain.id and ${column} > 0
				) as busiest cross join lateral generate_series(1, busiest.class) as digits
				order by digits desc
			) as class cross join lateral (
				select collection_id, ${by} as amount from market_index.rollup_day
				where chain_id = class.id and ${column} = class.digits and ${column} > 0
					and bucket >= ${from}
				limit ${rows}
			) as row
			order by class.digits desc limit ${rows}
		), unread as materialized (
			select (${buckets}) as buckets, case when days = ${rows} then ${most} else 0 end as amount
			from (select count(*) as days, min(digits) as digits from peak) as read
		), bound as materialized (
			select id, known, known + ((select buckets from unread) - days) * (select amount from unread)
				as most
			from (
				select collection_id as id, sum(amount) as known, count(*) as days from peak group by 1
			) as read
		)`;
	const missing = `select rollup.collection_id, sum(rollup.${by})
				from market_index.rollup_day as rollup
				where rollup.chain_id = any(${chains}) and rollup.bucket >= ${from}
					and (select unread.amount > 0 and unread.amount * buckets >= least.amount
						from unread, least)
					and rollup.collection_id not in (select id from bound)
				group by rollup.collection_id
				having sum(rollup.${by}) > 0 and sum(rollup.${by}) >= (select amount from least)`;
	return { ctes, missing };
}
