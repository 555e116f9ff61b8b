import type { Tx } from "#core/db/Database.ts";
import { SNAPSHOT_CHANGED_MS, SNAPSHOT_SAME_MS } from "#plugins/market-index/floor/limits.ts";

/**
 * Keeps a snapshot of the floor, unless the last one is too young: a minute where it differs, a
 * quarter of an hour where it does not.
 */
export async function keepSnapshot(
	tx: Tx,
	floor: { collectionId: number; native: bigint; usd: number | null; at: Date },
): Promise<void> {
	await tx.execute(
		`insert into market_index.floor_snapshot (collection_id, at, floor_native, floor_usd)
		select $1::int4, $2::timestamptz, $3::numeric, $4::float8
		where not exists (
			select from (
				select at, floor_native from market_index.floor_snapshot
				where collection_id = $1 order by at desc limit 1
			) as last
			where last.at > $2::timestamptz - case when last.floor_native = $3::numeric
				then $6::float8 else $5::float8 end * interval '1 millisecond'
		)
		on conflict do nothing`,
		[floor.collectionId, floor.at, floor.native, floor.usd, SNAPSHOT_CHANGED_MS, SNAPSHOT_SAME_MS],
	);
}
