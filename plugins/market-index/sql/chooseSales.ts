// Chooses the sales of a collection that a chart draws: of each cell of time the first, the last
// and the largest one.

import type { Queryable } from "#core/db/Database.ts";
import { EVENT_KIND, type StoredEvent } from "#plugins/market-index/event/MarketEvent.ts";
import { EVENT_COLUMNS, type EventColumns, eventOf } from "#plugins/market-index/sql/events.ts";
import { NEWEST_FIRST } from "#plugins/market-index/sql/readEvents.ts";

export type ChosenSales = {
	/** Newest first. */
	sales: StoredEvent[];
	/** Accepted sales that were looked at, the chosen ones included. */
	looked: number;
	/** The oldest that was looked at, where there may be older ones; null: all were. */
	lookedBackTo: Date | null;
};

/** The newest sales of the time that are looked at. */
const LOOKED_AT_MAX = 100_000;

/** What is chosen of each cell, at most. */
const EACH_CELL = 3;

/**
 * Chooses at most `max` accepted sales of a time: all, where there are no more. Otherwise the time
 * from the first to the last of them is cut into equal cells, and of each the first, the last and
 * the one of the highest price for one unit are chosen; one whose price is unknown is never the
 * highest.
 *
 * Looks at the newest 100,000 by `event_by_collection` (collection, kind, time), and reads the
 * chosen ones again by the unique index: what is sorted stays narrow.
 */
export async function chooseSales(
	db: Queryable,
	query: { collectionId: number; since: Date | null; until: Date | null; max: number },
): Promise<ChosenSales> {
	const { collectionId, since, until, max } = query;
	const cells = Math.max(1, Math.floor(max / EACH_CELL));
	const rows = await db.query<EventColumns & { looked: number; oldest: Date }>(
		`with sold as materialized (
			select chain_id, occurred_at, block_number, log_index, sub_index,
				total_native / quantity as price
			from market_index.event
			where collection_id = $1 and kind = ${EVENT_KIND.sale} and accepted
				and ($2::timestamptz is null or occurred_at >= $2)
				and ($3::timestamptz is null or occurred_at < $3)
			order by ${NEWEST_FIRST} limit ${LOOKED_AT_MAX}
		), bounds as (
			select count(*)::int4 as looked, min(occurred_at) as oldest,
				extract(epoch from min(occurred_at))::float8 as low,
				extract(epoch from max(occurred_at))::float8 + 1 as high
			from sold
		), celled as (
			select sold.*, looked, oldest,
				width_bucket(extract(epoch from occurred_at)::float8, low, high, $4) as cell
			from sold cross join bounds
		), marked as (
			select *, lag(cell) over newest is distinct from cell
				or lead(cell) over newest is distinct from cell
				or row_number() over (partition by cell order by price desc nulls last, ${NEWEST_FIRST}) = 1
				as is_chosen
			from celled window newest as (order by ${NEWEST_FIRST})
		)
		select ${EVENT_COLUMNS}, m.looked, m.oldest
		from marked as m
		join market_index.event as e on e.chain_id = m.chain_id
			and e.block_number = m.block_number and e.log_index = m.log_index
			and e.sub_index = m.sub_index and e.occurred_at = m.occurred_at
		join market_index.collection as c on c.id = e.collection_id
		where m.looked <= $5 or m.is_chosen
		order by e.occurred_at desc, e.block_number desc, e.log_index desc, e.sub_index desc`,
		[collectionId, since, until, cells, max],
	);
	const [first] = rows;
	const looked = first?.looked ?? 0;
	return {
		sales: rows.map(({ looked: _, oldest: _oldest, ...row }) => eventOf(row)),
		looked,
		lookedBackTo: first && looked >= LOOKED_AT_MAX ? first.oldest : null,
	};
}
