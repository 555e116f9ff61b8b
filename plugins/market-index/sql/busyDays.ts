/** Classes of a day's sales: the binary digits of an int4. */
const CLASS_MAX = 31;

/**
 * Days read for each place of a page and each day of the window. Two would do where the r-th
 * collection sells 1/r of what the first sells (a class is at most twice its least).
 */
const ROWS_PER_PLACE = 3;

/**
 * What the busiest days of a window say of their collections, as CTEs: `bound (id, known, most)`
 * with the sales that were read, and with what days that were not read may add.
 *
 * Days are read class by class, the most sales first (`peak`, by `rollup_day_busy`), so a page
 * costs as much with a hundred collections as with a hundred thousand. One that was not read has at
 * most `unread` sales. `missing` are the collections of which none was read: executed only where
 * all of their days together may reach the page, as where all collections trade about alike.
 */
export function busyDays(given: {
	/** Bound placeholders of the chains, the page's limit and the first day. */
	chains: string;
	limit: string;
	from: string;
	/** How many days there are until now. */
	days: number;
}): { ctes: string; missing: string } {
	const { chains, limit, from, days } = given;
	const rows = `${limit} * ${days * ROWS_PER_PLACE}`;
	// Those after now as well: a block may be of the near future.
	const buckets = `select
					1 + coalesce(max(extract(epoch from last.bucket - ${from})), 0)::int8 / 86400
				from unnest(${chains}) as chain (id) cross join lateral (
					select max(bucket) as bucket from market_index.rollup_day where chain_id = chain.id
				) as last`;
	// Its own limit keeps the lateral a loop over the index, in the order of what comes before.
	const ctes = `peak as materialized (
			select row.collection_id, row.sales, class.digits from (
				select chain.id, digits
				from unnest(${chains}) as chain (id), generate_series(1, ${CLASS_MAX}) as digits
				order by digits desc
			) as class cross join lateral (
				select collection_id, sales from market_index.rollup_day
				where chain_id = class.id and sales_class = class.digits and bucket >= ${from}
				limit ${rows}
			) as row
			order by class.digits desc limit ${rows}
		), unread as materialized (
			select (${buckets}) as buckets,
				case when count(*) = ${rows} then (1::int8 << min(digits)) - 1 else 0 end as sales
			from peak
		), bound as materialized (
			select id, known, known + ((select buckets from unread) - days) * (select sales from unread)
				as most
			from (
				select collection_id as id, sum(sales) as known, count(*) as days from peak group by 1
			) as read
		)`;
	const missing = `select rollup.collection_id
				from market_index.rollup_day as rollup
				where rollup.chain_id = any(${chains}) and rollup.bucket >= ${from}
					and (select sales > 0 and sales * buckets >= amount from unread, least)
					and rollup.collection_id not in (select id from bound)
				group by rollup.collection_id
				having sum(rollup.sales) > 0 and sum(rollup.sales) >= (select amount from least)`;
	return { ctes, missing };
}
