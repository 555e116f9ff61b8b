// Adds and removes the contracts whose owners are kept.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

type WatchedRow = { setId: number; address: Address; endBlock: number };

/**
 * Stops keeping the owners of some sets. Their rows are deleted later, so that the chain's lock is
 * not held for that.
 */
export async function dropSets(tx: Tx, setIds: readonly number[]): Promise<void> {
	if (setIds.length === 0) return;
	await tx.execute(
		`with gone as (
			delete from market_index.ownership where set_id = any($1::int4[]) returning set_id
		)
		insert into market_index.owner_garbage select set_id from gone`,
		[setIds],
	);
}

/** Deletes every owner: what is not kept current any more must not be shown. */
export async function forgetAllOwners(db: Queryable): Promise<void> {
	await db.execute(
		`truncate market_index.ownership, market_index.owned_span, market_index.owned_units,
			market_index.holder, market_index.span_before, market_index.units_added,
			market_index.owner_garbage, market_index.owner_journal`,
	);
}

/** Begins to keep the owners of collections; their walks end at this block. */
export async function insertWatched(
	tx: Tx,
	watch: { chainId: number; wanted: readonly number[]; cursor: number },
): Promise<void> {
	await tx.execute(
		`insert into market_index.ownership (collection_id, chain_id, address, end_block)
		select id, chain_id, address, $3 from market_index.collection
		where id = any($2::int4[]) and chain_id = $1 and not excluded
		on conflict do nothing`,
		[watch.chainId, watch.wanted, watch.cursor],
	);
}

/** Returns sets of collections that left the index. */
export async function orphanedSets(tx: Tx, chainId: number): Promise<number[]> {
	const rows = await tx.query<{ id: number }>(
		`select set_id as id from market_index.ownership as o
		where chain_id = $1
			and not exists (select from market_index.collection as c where c.id = o.collection_id)`,
		[chainId],
	);
	return rows.map(({ id }) => id);
}

/**
 * Returns sets of a chain's collections without a mint or a sale for so many days, the longest
 * first.
 */
export async function silentSets(
	db: Queryable,
	silent: { chainId: number; days: number; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select o.set_id as id from market_index.ownership as o
		join market_index.collection as c on c.id = o.collection_id
		where o.chain_id = $1
			and coalesce(greatest(c.last_sale_at, c.last_mint_at), '-infinity')
				< now() - $2 * interval '1 day'
		order by greatest(c.last_sale_at, c.last_mint_at) nulls first, o.set_id limit $3`,
		[silent.chainId, silent.days, silent.limit],
	);
	return rows.map(({ id }) => id);
}

/**
 * Returns tracked collections whose owners are not kept yet, newest activity first. `activeDays`
 * leaves out those without any in so many days: by `collection_last_mint` and
 * `collection_last_sale`.
 */
export async function wantedCollections(
	db: Queryable,
	want: { chainId: number; limit: number; activeDays: number | null },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select c.id from market_index.collection as c
		where c.chain_id = $1 and not c.excluded
			and ($3::int4 is null
				or c.last_mint_hour >= now() - $3 * interval '1 day'
				or c.last_sale_hour >= now() - $3 * interval '1 day')
			and not exists (
				select from market_index.ownership as o where o.collection_id = c.id
			)
		order by greatest(c.last_sale_at, c.last_mint_at) desc nulls last, c.id
		limit $2`,
		[want.chainId, want.limit, want.activeDays],
	);
	return rows.map(({ id }) => id);
}

/** Returns the contracts of a chain whose owners are kept: a few hundred, by the unique index. */
export async function watchedRows(db: Queryable, chainId: number): Promise<WatchedRow[]> {
	return db.query<WatchedRow>(
		`select set_id as "setId", '0x' || encode(address, 'hex') as address,
			end_block as "endBlock"
		from market_index.ownership where chain_id = $1 order by address`,
		[chainId],
	);
}
