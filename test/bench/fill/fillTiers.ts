import type { Client } from "pg";
import { logOfPosition } from "#test/bench/fill/logOfPosition.ts";
import { priceOf } from "#test/bench/fill/priceOf.ts";

/**
 * The coarser rollups, each from the one below it: the sums are the same either way. In the order
 * of time, as lanes write them: neighbours in time are then neighbours on disk.
 */
export async function fillTiers(client: Client): Promise<void> {
	await coarsen(client, { from: "rollup_minute", into: "rollup_hour", bucket: "1 hour" });
	await coarsen(client, { from: "rollup_hour", into: "rollup_day", bucket: "1 day" });
}

async function coarsen(
	client: Client,
	tier: { from: string; into: string; bucket: string },
): Promise<void> {
	await client.query(
		`insert into market_index.${tier.into} (
			collection_id, bucket, chain_id, sales, priced, units, mints, volume, open, high, low, close,
			open_position, close_position
		)
		select collection_id, bucket, chain_id, sales, priced, units, mints, volume,
			case when priced > 0 then ${priceOf(logOfPosition("first"))} end, high, low,
			case when priced > 0 then ${priceOf(logOfPosition("last"))} end, first, last
		from (
			select collection_id, date_bin('${tier.bucket}', bucket, '2000-01-01Z') as bucket,
				min(chain_id) as chain_id, sum(sales) as sales, sum(priced) as priced,
				sum(units) as units, sum(mints) as mints, sum(volume) as volume, max(high) as high,
				min(low) as low, min(open_position) as first, max(close_position) as last
			from market_index.${tier.from} group by 1, 2
		) as summed order by bucket`,
	);
}
