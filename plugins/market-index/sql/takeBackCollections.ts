import type { Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { CollectionChange } from "#plugins/market-index/rollup/CollectionChange.ts";
import { AMOUNT_MAX } from "#plugins/market-index/rollup/capAmount.ts";
import { positionSql } from "#plugins/market-index/sql/positionSql.ts";

/** The zero address: the chain's coin. */
const NO_TOKEN = `decode('${"00".repeat(20)}', 'hex')`;

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
			$1::int4[], $2::int8[], $3::numeric[], $4::timestamptz[], $5::int8[], $6::numeric[]
		) as given (id, mints, minted_units, first_mint_at, sales, volume)
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
		],
	);
}

function accepted(kind: number): string {
	return `market_index.event as e where e.collection_id = given.id and e.kind = ${kind}
		and e.accepted`;
}

function summed(column: string, kind: number): string {
	return `(select least(coalesce(sum(e.${column}), 0), ${AMOUNT_MAX}) from ${accepted(kind)})`;
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
