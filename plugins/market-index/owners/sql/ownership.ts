// Reads and writes which collections' owners are kept, and how far their history was walked.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Reorg, Walk } from "#plugins/chain-scanner/contract.ts";

type WatchedRow = { setId: number; address: Address; endBlock: number };

/** A walk's state after a part of it; `isOver`: it has come to its end. */
type MovedWalk = { collectionId: number; isOver: boolean };

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

/** Extends walks: the lane did not read these contracts before this block's end. */
export async function extendWalks(
	tx: Tx,
	setIds: readonly number[],
	endBlock: number,
): Promise<void> {
	await tx.execute(
		"update market_index.ownership set end_block = $2 where set_id = any($1::int4[])",
		[setIds, endBlock],
	);
}

/** Advances a walk, by its set; null where it is elsewhere by now. */
export async function moveWalk(
	tx: Tx,
	move: { setId: number; fromBlock: number; toBlock: number },
): Promise<MovedWalk | null> {
	const rows = await tx.query<MovedWalk>(
		`update market_index.ownership set next_block = $3::int8 + 1, rest_until = null
		where set_id = $1 and coalesce(next_block, $2) = $2 and end_block >= $3
		returning collection_id as "collectionId", end_block = $3 as "isOver"`,
		[move.setId, move.fromBlock, move.toBlock],
	);
	return rows[0] ?? null;
}

/**
 * Returns the unfinished walk of the most recently active collection; a chain has a few hundred.
 */
export async function nextWalk(db: Queryable, chainId: number): Promise<Walk | null> {
	const rows = await db.query<Walk>(
		`select o.set_id as id, '0x' || encode(o.address, 'hex') as contract,
			o.next_block as "nextBlock", o.end_block as "endBlock"
		from market_index.ownership as o
		join market_index.collection as c on c.id = o.collection_id
		where o.chain_id = $1 and coalesce(o.next_block, 0) <= o.end_block
			and (o.rest_until is null or o.rest_until <= clock_timestamp())
		order by greatest(c.last_sale_at, c.last_mint_at) desc nulls last, o.collection_id
		limit 1`,
		[chainId],
	);
	return rows[0] ?? null;
}

/**
 * Resets walks to a fork: above it nothing was read, so the lane starts there, and walks end there.
 * No `least` for `next_block`: it would give a walk without one a beginning.
 */
export async function resetWalks(tx: Tx, { chainId, forkBlock }: Reorg): Promise<void> {
	await tx.execute(
		`update market_index.ownership set
			end_block = least(end_block, $2::int8),
			next_block = case when next_block > $2 + 1 then $2 + 1 else next_block end
		where chain_id = $1 and (end_block > $2::int8 or next_block > $2 + 1)`,
		[chainId, forkBlock],
	);
}

/** Puts a walk aside for a while, so that others go on. */
export async function restWalk(db: Queryable, setId: number, restMs: number): Promise<void> {
	await db.execute(
		`update market_index.ownership
		set rest_until = clock_timestamp() + $2 * interval '1 millisecond'
		where set_id = $1`,
		[setId, restMs],
	);
}

/**
 * Deletes every owner of a chain and has its contracts walked again, up to the fork, wherever the
 * lane had taken over before. This never happens by accident: only an operator takes back more than
 * the journal has.
 */
export async function restartWalks(tx: Tx, { chainId, forkBlock }: Reorg): Promise<void> {
	await tx.execute(
		`insert into market_index.owner_garbage
		select set_id from market_index.ownership where chain_id = $1`,
		[chainId],
	);
	await tx.execute(
		`update market_index.ownership set set_id = default, next_block = null, owners = 0,
			minted = 0, burned = 0, end_block = $2
		where chain_id = $1`,
		[chainId, forkBlock],
	);
}

/**
 * Returns how many more contracts of a chain may be watched; below zero after the operator lowered
 * the limit.
 */
export async function roomLeft(
	db: Queryable,
	{ chainId, watchedMax }: { chainId: number; watchedMax: number },
): Promise<number> {
	const rows = await db.query<{ count: number }>(
		"select count(*)::int as count from market_index.ownership where chain_id = $1",
		[chainId],
	);
	return watchedMax - (rows[0]?.count ?? 0);
}
