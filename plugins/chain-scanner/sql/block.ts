// Stores the blocks that are kept for linking, and locks a chain.

import { bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";

/** A span of blocks, both ends included. */
export type BlockRange = { from: number; to: number };

/** A block that the index keeps for linking. */
export type BlockRef = {
	number: number;
	hash: Hex;
	/** Null where only the block's own hash is known. */
	parentHash: Hex | null;
	/** True where it is below the reach of reorgs. */
	settled: boolean;
};

/** The blocks to store, and what they must be compared with. */
export type BlockRecord = {
	chainId: number;
	/** In ascending order, and linked among themselves. */
	blocks: readonly BlockRef[];
	/**
	 * Blocks below this one that are linked to the last of `blocks` are out of the reach of reorgs.
	 */
	pruneBelow: number;
	/** A stored block from here on means that these have settled: a node that calls them new lags. */
	outdatedBy?: number | null | undefined;
};

export type BlocksRecorded = {
	/** False where they are of another fork than what is stored. */
	fits: boolean;
	/** True where a stored block shows that they must have settled. */
	outdated: boolean;
	/** True where unconfirmed blocks below the reach of reorgs are stored. */
	unvouched: boolean;
};

/** Distinguishes our advisory locks from others: "la" in ASCII, in the high bytes of the key. */
const CHAIN_LOCK_SPACE = 0x6c61n << 46n;

/**
 * Stores blocks, and returns whether they fit the stored ones: same hash at the same number, parent
 * and child linked. Blocks that do not fit belong to another fork, and so does every row that was
 * read with them.
 *
 * Below `pruneBelow` blocks that are known to be of the chain are deleted: settled blocks, and
 * those that each parent's hash links to the newest of `blocks`. The newest of them stays, the
 * anchor of a search for a fork. Unlinked blocks stay: where a lane left a hole its last blocks may
 * be of a dead fork, and only they show how far down that reaches.
 *
 * By primary key; at the head this deletes one row and inserts one, and counts those between.
 */
export async function recordBlocks(tx: Tx, record: BlockRecord): Promise<BlocksRecorded> {
	const { chainId, blocks, pruneBelow, outdatedBy = null } = record;
	if (blocks.length === 0) return { fits: true, outdated: false, unvouched: false };
	const rows = await tx.query<Omit<BlocksRecorded, "fits"> & { forked: boolean }>(
		`with given as (
			select * from unnest($2::int8[], $3::bytea[], $4::bytea[], $5::boolean[])
				as given (number, hash, parent_hash, settled)
		), loose as materialized (
			-- Below the line, what no block above it names as its parent.
			select number, settled from chain_scanner.block as top
			where chain_id = $1 and number < $6 and hash is distinct from coalesce(
				(
					select parent_hash from chain_scanner.block as above
					where above.chain_id = $1 and above.number = top.number + 1
				),
				(select parent_hash from given where given.number = top.number + 1)
			)
		), linked as (
			-- From this block on each is linked to those given; to none if one above the line is missing.
			select case when greatest(min(number) - $6 - 1, 0) = (
				select count(parent_hash) from chain_scanner.block
				where chain_id = $1 and number > $6 and number < (select min(number) from given)
			) then (select coalesce(max(number), -1) + 1 from loose) else $6 end as from_number
			from given
		), pruned as (
			delete from chain_scanner.block as old where chain_id = $1 and number < (
				select max(number) from chain_scanner.block where chain_id = $1 and number < $6
			) and (settled or number >= (select from_number from linked))
		), kept as (
			insert into chain_scanner.block (chain_id, number, hash, parent_hash, settled)
			select $1, number, hash, parent_hash, settled from given
			on conflict (chain_id, number) do nothing
		)
		select exists (
			select from given join chain_scanner.block as known
				on known.chain_id = $1 and known.number = given.number
			where known.hash <> given.hash
		) or exists (
			select from given join chain_scanner.block as below
				on below.chain_id = $1 and below.number = given.number - 1
			where below.hash <> given.parent_hash
		) or exists (
			select from given join chain_scanner.block as above
				on above.chain_id = $1 and above.number = given.number + 1
			where above.parent_hash <> given.hash
		) as forked, exists (
			select from chain_scanner.block where chain_id = $1 and number >= $7
		) as outdated, exists (
			select from loose where not settled
		) as unvouched`,
		[
			chainId,
			blocks.map(({ number }) => number),
			blocks.map(({ hash }) => bytesOf(hash)),
			blocks.map(({ parentHash }) => (parentHash === null ? null : bytesOf(parentHash))),
			blocks.map(({ settled }) => settled),
			pruneBelow,
			outdatedBy,
		],
	);
	const [row] = rows;
	assert(row, "a question about what exists has an answer");
	return { fits: !row.forked, outdated: row.outdated, unvouched: row.unvouched };
}

/**
 * Returns the newest blocks kept for linking, newest first, and those of cursors: the cursor of a
 * lane that is behind may be older than what is kept. By primary key; about as many are stored as
 * may leave the chain, and as many again for each hole that is not confirmed yet.
 */
export async function storedBlocks(
	db: Queryable,
	chainId: number,
	limit: number,
): Promise<BlockRef[]> {
	return db.query<BlockRef>(
		`select number, '0x' || encode(hash, 'hex') as hash,
			'0x' || max(encode(parent_hash, 'hex')) as "parentHash", bool_and(settled) as settled
		from (
			(
				select number, hash, parent_hash, settled from chain_scanner.block
				where chain_id = $1 order by number desc limit $2
			)
			union all
			select block_number, block_hash, null, true from chain_scanner.cursor where chain_id = $1
		) as stood
		group by number, hash order by number desc`,
		[chainId, limit],
	);
}

/** Marks blocks that cannot leave the chain any more. */
export async function settleBlocks(
	tx: Tx,
	chainId: number,
	blocks: readonly Pick<BlockRef, "number" | "hash">[],
): Promise<void> {
	await tx.execute(
		`update chain_scanner.block set settled = true
		from unnest($2::int8[], $3::bytea[]) as given (number, hash)
		where chain_id = $1 and block.number = given.number and block.hash = given.hash`,
		[chainId, blocks.map(({ number }) => number), blocks.map(({ hash }) => bytesOf(hash))],
	);
}

/** Deletes the blocks above a fork. */
export async function forgetBlocks(tx: Tx, chainId: number, above: number): Promise<void> {
	await tx.execute("delete from chain_scanner.block where chain_id = $1 and number > $2", [
		chainId,
		above,
	]);
}

/**
 * Locks a chain until the transaction ends. Mint, sale and backfill lanes and the repair of forks
 * touch the same rows: one after the other.
 */
export async function lockChain(tx: Tx, chainId: number): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [CHAIN_LOCK_SPACE + BigInt(chainId)]);
}
