import type { Tx } from "#core/db/Database.ts";
import { TIERS } from "#plugins/market-index/apply/bucketOf.ts";
import { AMOUNT_MAX, capAmount } from "#plugins/market-index/apply/capAmount.ts";
import type { Rollup } from "#plugins/market-index/apply/Rollup.ts";
import { coarsen } from "#plugins/market-index/apply/sumRollups.ts";

/**
 * Merges rollups into all tiers, one statement a tier, by primary key. Counts and volumes add up;
 * the earliest position opens and the latest closes, so batches may be merged in any order. Where
 * one side has no price, both comparisons are null and `least` and `greatest` take the other's.
 */
export async function upsertRollups(
	tx: Tx,
	chainId: number,
	minutes: readonly Rollup[],
): Promise<void> {
	if (minutes.length === 0) return;
	let rollups = minutes;
	const tiers: Promise<void>[] = [];
	for (const [index, tier] of TIERS.entries()) {
		if (index > 0) rollups = coarsen(rollups, tier.ms);
		tiers.push(upsertTier(tx, chainId, tier.table, rollups));
	}
	await Promise.all(tiers);
}

async function upsertTier(
	tx: Tx,
	chainId: number,
	table: string,
	rollups: readonly Rollup[],
): Promise<void> {
	await tx.execute(
		`insert into market_index.${table} as kept (
			chain_id, collection_id, bucket, sales, priced, units, volume, mints,
			open, high, low, close, open_position, close_position
		)
		select $1, * from unnest(
			$2::int4[], $3::timestamptz[], $4::int4[], $5::int4[], $6::numeric[], $7::numeric[],
			$8::int4[], $9::numeric[], $10::numeric[], $11::numeric[], $12::numeric[],
			$13::int8[], $14::int8[]
		)
		on conflict (collection_id, bucket) do update set
			sales = kept.sales + excluded.sales,
			priced = kept.priced + excluded.priced,
			units = least(kept.units + excluded.units, ${AMOUNT_MAX}),
			volume = least(kept.volume + excluded.volume, ${AMOUNT_MAX}),
			mints = kept.mints + excluded.mints,
			open = case when kept.open_position < excluded.open_position then kept.open
				when kept.open_position > excluded.open_position then excluded.open
				else least(kept.open, excluded.open) end,
			high = greatest(kept.high, excluded.high),
			low = least(kept.low, excluded.low),
			close = case when kept.close_position > excluded.close_position then kept.close
				when kept.close_position < excluded.close_position then excluded.close
				else greatest(kept.close, excluded.close) end,
			open_position = least(kept.open_position, excluded.open_position),
			close_position = greatest(kept.close_position, excluded.close_position)`,
		[
			chainId,
			rollups.map((rollup) => rollup.collectionId),
			rollups.map((rollup) => new Date(rollup.bucketMs)),
			rollups.map((rollup) => rollup.sales),
			rollups.map((rollup) => rollup.priced),
			rollups.map((rollup) => capAmount(rollup.units)),
			rollups.map((rollup) => capAmount(rollup.volume)),
			rollups.map((rollup) => rollup.mints),
			rollups.map((rollup) => rollup.prices?.open ?? null),
			rollups.map((rollup) => rollup.prices?.high ?? null),
			rollups.map((rollup) => rollup.prices?.low ?? null),
			rollups.map((rollup) => rollup.prices?.close ?? null),
			rollups.map((rollup) => rollup.prices?.openPosition ?? null),
			rollups.map((rollup) => rollup.prices?.closePosition ?? null),
		],
	);
}
