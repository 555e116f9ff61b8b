// Adds sums to rollups and collections, and removes collections without any source left.

import { bytesOf } from "#core/chain/Hex.ts";
import type { SqlValue, Tx } from "#core/db/Database.ts";
import {
	type CollectionChange,
	coarsen,
	type Rollup,
} from "#plugins/market-index/rollup/rollups.ts";
import { AMOUNT_MAX, capAmount, TIERS, type Tier } from "#plugins/market-index/rollup/windows.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";

type AddedFigures = {
	/** In the finest buckets: the coarser ones follow from them. */
	minutes: readonly Rollup[];
	collections: readonly CollectionChange[];
};

/** A position below all others, also below those of blocks under zero. */
const LOWEST = "-9223372036854775807::int8";

const STATEMENT = `with given as materialized (
		select * from unnest(
			$2::int2[], $3::int4[], $4::timestamptz[], $5::int4[], $6::int4[], $7::numeric[],
			$8::numeric[], $9::int4[], $10::numeric[], $11::numeric[], $12::numeric[],
			$13::numeric[], $14::int8[], $15::int8[]
		) as given (
			tier, collection_id, bucket, sales, priced, units, volume, mints,
			open, high, low, close, open_position, close_position
		)
	), ${TIERS.map(({ table }, tier) => `${table} as (${upsertTier(table, tier)})`).join(", ")}
	update market_index.collection as kept set
	mints = kept.mints + given.mints,
	minted_units = least(kept.minted_units + given.minted_units, ${AMOUNT_MAX}),
	first_mint_at = least(kept.first_mint_at, given.first_mint_at),
	last_mint_at = greatest(kept.last_mint_at, given.last_mint_at),
	last_mint_position = greatest(kept.last_mint_position, given.last_mint_position),
	${newest("mint", "total_raw")},
	${newest("mint", "quantity")},
	${newest("mint", "currency")},
	sales = kept.sales + given.sales,
	volume_native = least(kept.volume_native + given.volume, ${AMOUNT_MAX}),
	wash_from = least(kept.wash_from, given.first_sale_at),
	last_sale_position = greatest(kept.last_sale_position, given.last_sale_position),
	${newest("sale", "at")},
	${newest("sale", "token_id")},
	${newest("sale", "unit_native")},
	${newest("sale", "transaction")}
	from unnest(
		$16::int4[], $17::int8[], $18::numeric[], $19::timestamptz[], $20::timestamptz[], $21::int8[],
		$22::numeric[], $23::numeric[], $24::int8[], $25::numeric[], $26::timestamptz[], $27::int8[],
		$28::numeric[], $29::numeric[], $30::bytea[], $31::bytea[], $32::timestamptz[]
	) as given (
		id, mints, minted_units, first_mint_at, last_mint_at, last_mint_position,
		last_mint_total_raw, last_mint_quantity, sales, volume, last_sale_at, last_sale_position,
		last_sale_token_id, last_sale_unit_native, last_sale_transaction, last_mint_currency,
		first_sale_at
	)
	where kept.id = given.id`;

/** Lists the tables whose rows belong to a collection: they are deleted together with it. */
const KEPT_BESIDE = [
	"former_slug",
	"token",
	"trait_count",
	"market_order",
	"floor_snapshot",
	"figure_history",
	"wash_sale",
	"wash_hour",
	"unconfirmed",
	"recipients",
] as const;

/**
 * Adds to the rollups of all tiers and to the collections' own figures, each by its primary key.
 *
 * Counts and volumes add up; the earliest position opens and the latest closes, so batches may be
 * added in any order. Where one side has no price, both comparisons are null and `least` and
 * `greatest` take the other's. The last mint and the last sale are those with the greatest
 * position, so a batch from the past (backfill) never replaces a newer one.
 *
 * One statement: at the head four took twice as long, mostly not spent on rows.
 */
export async function addFigures(
	tx: Tx,
	chainId: number,
	{ minutes, collections }: AddedFigures,
): Promise<void> {
	if (minutes.length + collections.length === 0) return;
	await tx.execute(STATEMENT, [
		chainId,
		...rollupArrays(minutes),
		...collectionArrays(collections),
	]);
}

/**
 * Removes those of these collections without any source left: their events left the chain, and no
 * provider knows them. Returns the removed ids. What was learned of their tokens, names and prices
 * goes with them; their owners are deleted by the keeper of owners.
 */
export async function dropEmptyCollections(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
	if (ids.length === 0) return new Set();
	const empty = await tx.query<{ id: number }>(
		`select id from market_index.collection as c
		where id = any($1::int4[]) and mints = 0 and sales = 0 and last_provider_at is null
			and not excluded
			and not exists (select from market_index.event as e where e.collection_id = c.id)
			and not exists (
				select from market_index.sync as s
				where s.collection_id = c.id and s.provider_slug is not null
			)
		order by id for update`,
		[ids],
	);
	if (empty.length === 0) return new Set();
	for (const { id } of empty) await lockTokens(tx, id);
	const cleared = KEPT_BESIDE.map(
		(table) => `${table}_gone as (
			delete from market_index.${table} where collection_id = any($1::int4[])
		)`,
	);
	const rows = await tx.query<{ id: number }>(
		`with ${cleared.join(", ")}
		delete from market_index.collection where id = any($1::int4[]) returning id`,
		[empty.map(({ id }) => id)],
	);
	return new Set(rows.map(({ id }) => id));
}

/** Returns the rollups of all tiers, one after the other; `tier` states which. */
function rollupArrays(minutes: readonly Rollup[]): SqlValue[] {
	let rollups = minutes;
	const tiers: number[] = [];
	const all: Rollup[] = [];
	for (const [tier, { ms }] of TIERS.entries()) {
		if (tier > 0) rollups = coarsen(rollups, ms);
		for (const rollup of rollups) {
			tiers.push(tier);
			all.push(rollup);
		}
	}
	return [
		tiers,
		all.map((rollup) => rollup.collectionId),
		all.map((rollup) => new Date(rollup.bucketMs)),
		all.map((rollup) => rollup.sales),
		all.map((rollup) => rollup.priced),
		all.map((rollup) => capAmount(rollup.units)),
		all.map((rollup) => capAmount(rollup.volume)),
		all.map((rollup) => rollup.mints),
		all.map((rollup) => rollup.prices?.open ?? null),
		all.map((rollup) => rollup.prices?.high ?? null),
		all.map((rollup) => rollup.prices?.low ?? null),
		all.map((rollup) => rollup.prices?.close ?? null),
		all.map((rollup) => rollup.prices?.openPosition ?? null),
		all.map((rollup) => rollup.prices?.closePosition ?? null),
	];
}

function collectionArrays(changes: readonly CollectionChange[]): SqlValue[] {
	const at = (ms: number | null | undefined) => (ms == null ? null : new Date(ms));
	return [
		changes.map((change) => change.collectionId),
		changes.map((change) => change.mints),
		changes.map((change) => change.mintedUnits),
		changes.map((change) => at(change.firstMintAtMs)),
		changes.map((change) => at(change.lastMintAtMs)),
		changes.map((change) => change.lastMint?.position ?? null),
		changes.map((change) => change.lastMint?.totalRaw ?? null),
		changes.map((change) => change.lastMint?.quantity ?? null),
		changes.map((change) => change.sales),
		changes.map((change) => change.volume),
		changes.map((change) => at(change.lastSale?.atMs)),
		changes.map((change) => change.lastSale?.position ?? null),
		changes.map((change) => change.lastSale?.tokenId ?? null),
		changes.map((change) => change.lastSale?.unitNative ?? null),
		changes.map((change) => transactionBytes(change)),
		changes.map((change) => currencyBytes(change)),
		changes.map((change) => at(change.firstSaleAtMs)),
	];
}

function transactionBytes({ lastSale }: CollectionChange): Buffer | null {
	return lastSale ? bytesOf(lastSale.transactionHash) : null;
}

function currencyBytes({ lastMint }: CollectionChange): Buffer | null {
	return lastMint?.currency ? Buffer.from(lastMint.currency.slice(2), "hex") : null;
}

function upsertTier(table: Tier["table"], tier: number): string {
	return `insert into market_index.${table} as kept (
			chain_id, collection_id, bucket, sales, priced, units, volume, mints,
			open, high, low, close, open_position, close_position
		)
		select $1, collection_id, bucket, sales, priced, units, volume, mints,
			open, high, low, close, open_position, close_position
		from given where tier = ${tier}
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
		close_position = greatest(kept.close_position, excluded.close_position)`;
}

/**
 * Returns SQL for one figure of the last mint or sale: the given one's, if that is later in the
 * chain.
 */
function newest(kind: "mint" | "sale", figure: string): string {
	const position = `last_${kind}_position`;
	const column = `last_${kind}_${figure}`;
	return `${column} = case when given.${position} > coalesce(kept.${position}, ${LOWEST})
				then given.${column} else kept.${column} end`;
}
