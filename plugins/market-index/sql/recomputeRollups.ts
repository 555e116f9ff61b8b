// Recomputes rollups and collections' figures after events were removed or priced.

import type { Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/MarketEvent.ts";
import type { CollectionChange } from "#plugins/market-index/rollup/rollups.ts";
import { AMOUNT_MAX, bucketOf, TIERS } from "#plugins/market-index/rollup/windows.ts";
import { positionSql } from "#plugins/market-index/sql/events.ts";

export type MinuteKey = { collectionId: number; bucketMs: number };

const PRICED = `kind = ${EVENT_KIND.sale} and total_native is not null`;

const FROM_EVENTS = `select
		count(*) filter (where kind = ${EVENT_KIND.sale})::int4 as sales,
		count(*) filter (where ${PRICED})::int4 as priced,
		least(coalesce(sum(quantity) filter (where ${PRICED}), 0), ${AMOUNT_MAX}) as units,
		least(coalesce(sum(total_native) filter (where ${PRICED}), 0), ${AMOUNT_MAX}) as volume,
		count(*) filter (where kind = ${EVENT_KIND.mint})::int4 as mints,
		(array_agg(price order by position, price) filter (where ${PRICED}))[1] as open,
		max(price) filter (where ${PRICED}) as high,
		min(price) filter (where ${PRICED}) as low,
		(array_agg(price order by position desc, price desc) filter (where ${PRICED}))[1] as close,
		min(position) filter (where ${PRICED}) as open_position,
		max(position) filter (where ${PRICED}) as close_position
	from (
		select kind, quantity, total_native, div(total_native, quantity) as price,
			${positionSql} as position
		from market_index.event
		where collection_id = given.collection_id
			and kind in (${EVENT_KIND.sale}, ${EVENT_KIND.mint})
			and accepted and occurred_at >= given.bucket
			and occurred_at < given.bucket + interval '1 minute'
	) as event`;

/** The zero address: the chain's coin. */
const NO_TOKEN = `decode('${"00".repeat(20)}', 'hex')`;

/**
 * Recomputes these minutes from their events, and the hours and days around them from their
 * minutes: the only repair of figures that cannot be subtracted (extremes, first and last, sums at
 * their ceiling). A bucket without events is removed.
 *
 * Events by `event_by_collection` (collection, kind, time), buckets by primary key. Two statements
 * a tier: one statement cannot delete and insert the same key.
 */
export async function recomputeRollups(
	tx: Tx,
	chainId: number,
	minutes: readonly MinuteKey[],
): Promise<void> {
	if (minutes.length === 0) return;
	let keys = distinct(minutes, TIERS[0].ms);
	await replace(tx, { chainId, table: TIERS[0].table, keys, from: FROM_EVENTS });
	for (const [index, tier] of TIERS.entries()) {
		const finer = TIERS[index - 1];
		if (!finer) continue;
		keys = distinct(keys, tier.ms);
		await replace(tx, {
			chainId,
			table: tier.table,
			keys,
			from: fromBuckets(finer.table, tier.ms),
		});
	}
}

/**
 * Removes changes from collections again, after their events are removed and their rollups
 * recomputed.
 *
 * Counts are subtracted. A sum at its ceiling is recomputed, and so are first and last, where the
 * first or the last event was removed: by `event_by_collection`, from the newest time that is left.
 * `supply_mints` is cleared where mints went: the supply that was read may be the lost fork's.
 */
export async function takeBackCollections(
	tx: Tx,
	changes: readonly CollectionChange[],
): Promise<void> {
	if (changes.length === 0) return;
	const at = (ms: number | null) => (ms === null ? null : new Date(ms));
	await tx.execute(
		`update market_index.collection as kept set
			mints = kept.mints - given.mints,
			minted_units = case when kept.minted_units < ${AMOUNT_MAX}
				then kept.minted_units - given.minted_units
				else ${summed("quantity", EVENT_KIND.mint)} end,
			supply_mints = case when given.mints > 0 then null else kept.supply_mints end,
			first_mint_at = case when given.first_mint_at <= kept.first_mint_at
				then (select min(occurred_at) from ${accepted(EVENT_KIND.mint)})
				else kept.first_mint_at end,
			last_mint_at = case when given.mints > 0 then mint.newest else kept.last_mint_at end,
			last_mint_position = case when given.mints > 0 then mint.position
				else kept.last_mint_position end,
			last_mint_total_raw = case when given.mints > 0 then mint.total_raw
				else kept.last_mint_total_raw end,
			last_mint_quantity = case when given.mints > 0 then mint.quantity
				else kept.last_mint_quantity end,
			last_mint_currency = case when given.mints > 0 then nullif(mint.currency, ${NO_TOKEN})
				else kept.last_mint_currency end,
			wash_from = least(kept.wash_from, given.first_sale_at),
			sales = kept.sales - given.sales,
			volume_native = case when kept.volume_native < ${AMOUNT_MAX}
				then kept.volume_native - given.volume
				else ${summed("total_native", EVENT_KIND.sale)} end,
			last_sale_at = case when given.sales > 0 then sale.occurred_at
				else kept.last_sale_at end,
			last_sale_position = case when given.sales > 0 then sale.position
				else kept.last_sale_position end,
			last_sale_token_id = case when given.sales > 0 then sale.token_id
				else kept.last_sale_token_id end,
			last_sale_unit_native = case when given.sales > 0
				then div(sale.total_native, sale.quantity) else kept.last_sale_unit_native end,
			last_sale_transaction = case when given.sales > 0 then sale.transaction_hash
				else kept.last_sale_transaction end
		from unnest(
			$1::int4[], $2::int8[], $3::numeric[], $4::timestamptz[], $5::int8[], $6::numeric[],
			$7::timestamptz[]
		) as given (id, mints, minted_units, first_mint_at, sales, volume, first_sale_at)
		left join lateral (${last(EVENT_KIND.mint)}) as mint on given.mints > 0
		left join lateral (${last(EVENT_KIND.sale)}) as sale on given.sales > 0
		where kept.id = given.id`,
		[
			changes.map(({ collectionId }) => collectionId),
			changes.map(({ mints }) => mints),
			changes.map(({ mintedUnits }) => mintedUnits),
			changes.map(({ firstMintAtMs }) => at(firstMintAtMs)),
			changes.map(({ sales }) => sales),
			changes.map(({ volume }) => volume),
			changes.map(({ firstSaleAtMs }) => at(firstSaleAtMs)),
		],
	);
}

function distinct(keys: readonly MinuteKey[], bucketMs: number): MinuteKey[] {
	const known = new Map<string, MinuteKey>();
	for (const { collectionId, bucketMs: atMs } of keys) {
		const key = { collectionId, bucketMs: bucketOf(atMs, bucketMs) };
		known.set(`${collectionId}:${key.bucketMs}`, key);
	}
	return [...known.values()];
}

async function replace(
	tx: Tx,
	made: { chainId: number; table: string; keys: readonly MinuteKey[]; from: string },
): Promise<void> {
	const { chainId, table, keys, from } = made;
	const values = [
		keys.map(({ collectionId }) => collectionId),
		keys.map(({ bucketMs }) => new Date(bucketMs)),
	];
	await tx.execute(
		`delete from market_index.${table} as old
		using unnest($1::int4[], $2::timestamptz[]) as given (collection_id, bucket)
		where old.collection_id = given.collection_id and old.bucket = given.bucket`,
		values,
	);
	await tx.execute(
		`insert into market_index.${table} (
			chain_id, collection_id, bucket, sales, priced, units, volume, mints,
			open, high, low, close, open_position, close_position
		)
		select $3::int8, given.collection_id, given.bucket, fresh.*
		from unnest($1::int4[], $2::timestamptz[]) as given (collection_id, bucket)
		cross join lateral (${from}) as fresh
		where fresh.sales > 0 or fresh.mints > 0`,
		[...values, chainId],
	);
}

function fromBuckets(table: string, bucketMs: number): string {
	return `select coalesce(sum(sales), 0)::int4 as sales, coalesce(sum(priced), 0)::int4 as priced,
		least(coalesce(sum(units), 0), ${AMOUNT_MAX}) as units,
		least(coalesce(sum(volume), 0), ${AMOUNT_MAX}) as volume,
		coalesce(sum(mints), 0)::int4 as mints,
		(array_agg(open order by open_position, open))[1] as open,
		max(high) as high, min(low) as low,
		(array_agg(close order by close_position desc nulls last, close desc))[1] as close,
		min(open_position) as open_position, max(close_position) as close_position
	from market_index.${table} as fine
	where fine.collection_id = given.collection_id and fine.bucket >= given.bucket
		and fine.bucket < given.bucket + interval '${bucketMs} milliseconds'`;
}

function summed(column: string, kind: number): string {
	return `(select least(coalesce(sum(e.${column}), 0), ${AMOUNT_MAX}) from ${accepted(kind)})`;
}

function accepted(kind: number): string {
	return `market_index.event as e where e.collection_id = given.id and e.kind = ${kind}
		and e.accepted`;
}

/**
 * Returns SQL for the last event in the chain. Times never decrease from block to block on any real
 * chain; an hour back from the newest one tolerates a test chain whose clock was moved.
 */
function last(kind: number): string {
	return `select e.occurred_at, e.token_id, e.quantity, e.currency, e.total_raw,
			e.total_native, e.transaction_hash, ${positionSql} as position, span.newest
		from (select max(e.occurred_at) as newest from ${accepted(kind)}) as span, ${accepted(kind)}
			and e.occurred_at >= span.newest - interval '1 hour'
		order by ${positionSql} desc, e.sub_index limit 1`;
}
