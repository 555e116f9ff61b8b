import { logOfPosition } from "#test/bench/fill/logOfPosition.ts";
import type { Month } from "#test/bench/fill/monthsOf.ts";
import { priceOf } from "#test/bench/fill/priceOf.ts";

const COLUMNS = `collection_id, bucket, chain_id, sales, priced, units, mints, volume, open, high,
	low, close, open_position, close_position`;

/**
 * Returns statements that fill the three tiers of rollups with a month, each from the one below it:
 * the sums are the same either way, and no bucket spans two months. In the order of time, as lanes
 * write them: neighbours in time are then neighbours on disk.
 */
export function rollupStatements(month: Pick<Month, "fromMs" | "toMs">, events: string): string[] {
	const from = new Date(month.fromMs).toISOString();
	const to = new Date(month.toMs).toISOString();
	const within = `where bucket >= '${from}' and bucket < '${to}'`;
	const hours = coarser(`market_index.rollup_minute ${within}`, "1 hour");
	const days = coarser(`market_index.rollup_hour ${within}`, "1 day");
	return [
		`insert into market_index.rollup_minute (${COLUMNS}) ${minutesOf(events)}`,
		`insert into market_index.rollup_hour (${COLUMNS}) ${hours}`,
		`insert into market_index.rollup_day (${COLUMNS}) ${days}`,
	];
}

/** Returns the minutes of events. Prices fit an int8, which is summed several times faster. */
function minutesOf(events: string): string {
	return `select collection_id, bucket, chain_id, sales, priced, priced, mints,
			coalesce(volume, 0), ${priceAt("first")}, high, low, ${priceAt("last")}, first, last
		from (
			select collection_id, date_bin('1 minute', occurred_at, '2000-01-01Z') as bucket,
				min(chain_id) as chain_id, count(*) filter (where kind = 1) as sales,
				count(price) filter (where kind = 1) as priced,
				count(*) filter (where kind = 2) as mints,
				sum(price) filter (where kind = 1) as volume,
				max(price) filter (where kind = 1) as high,
				min(price) filter (where kind = 1) as low,
				min(position) filter (where kind = 1 and price is not null) as first,
				max(position) filter (where kind = 1 and price is not null) as last
			from (
				select collection_id, occurred_at, chain_id, kind, total_native::int8 as price,
					(block_number << 30) | (log_index::int8 << 10) as position
				from ${events} where accepted
			) as accepted
			group by 1, 2
		) as summed order by bucket`;
}

function coarser(from: string, bucket: string): string {
	return `select collection_id, bucket, chain_id, sales, priced, units, mints, volume,
			${priceAt("first")}, high, low, ${priceAt("last")}, first, last
		from (
			select collection_id, date_bin('${bucket}', bucket, '2000-01-01Z') as bucket,
				min(chain_id) as chain_id, sum(sales) as sales, sum(priced) as priced,
				sum(units) as units, sum(mints) as mints, sum(volume) as volume, max(high) as high,
				min(low) as low, min(open_position) as first, max(close_position) as last
			from ${from} group by 1, 2
		) as summed order by bucket`;
}

function priceAt(position: string): string {
	return `case when priced > 0 then ${priceOf(logOfPosition(position))} end`;
}
