import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

/** A block that the index stands on. */
export type BlockRef = {
	number: number;
	hash: Hex;
	/** Null where only the block itself was heard of. */
	parentHash: Hex | null;
	/** True where it lies below the reach of reorgs. */
	settled: boolean;
};

export type StoredBlock = Pick<BlockRef, "number" | "hash" | "settled">;

/**
 * Stores blocks, and answers whether they fit on those that are stored: same hash at the same
 * number, parent and child linked. What does not fit belongs to another fork, and so does every row
 * that was read with it. Those given are linked among themselves already.
 *
 * Below `pruneBelow` only the newest stays, as the anchor of a search for a fork. By primary key;
 * at the head this deletes one row and inserts one.
 */
export async function recordBlocks(
	tx: Tx,
	record: { chainId: number; blocks: readonly BlockRef[]; pruneBelow: number },
): Promise<boolean> {
	const { chainId, blocks, pruneBelow } = record;
	if (blocks.length === 0) return true;
	const rows = await tx.query<{ forked: boolean }>(
		`with given as (
			select * from unnest($2::int8[], $3::bytea[], $4::bytea[], $5::boolean[])
				as given (number, hash, parent_hash, settled)
		), pruned as (
			delete from chain_scanner.block as old where chain_id = $1 and number < (
				select max(number) from chain_scanner.block where chain_id = $1 and number < $6
			)
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
		) as forked`,
		[
			chainId,
			blocks.map(({ number }) => number),
			blocks.map(({ hash }) => bytesOf(hash)),
			blocks.map(({ parentHash }) => (parentHash === null ? null : bytesOf(parentHash))),
			blocks.map(({ settled }) => settled),
			pruneBelow,
		],
	);
	return rows[0]?.forked === false;
}

/**
 * The newest blocks that the index stands on, newest first, and those that cursors stand at: a
 * cursor that was left behind is older than what is kept of the others.
 */
export async function storedBlocks(
	db: Queryable,
	chainId: number,
	limit: number,
): Promise<StoredBlock[]> {
	return db.query<StoredBlock>(
		`select number, '0x' || encode(hash, 'hex') as hash, bool_and(settled) as settled
		from (
			(
				select number, hash, settled from chain_scanner.block
				where chain_id = $1 order by number desc limit $2
			)
			union all
			select block_number, block_hash, true from chain_scanner.cursor where chain_id = $1
		) as stood
		group by number, hash order by number desc`,
		[chainId, limit],
	);
}

/** Forgets the blocks above a fork. */
export async function forgetBlocks(tx: Tx, chainId: number, above: number): Promise<void> {
	await tx.execute("delete from chain_scanner.block where chain_id = $1 and number > $2", [
		chainId,
		above,
	]);
}

function bytesOf(hex: Hex): Buffer {
	return Buffer.from(hex.slice(2), "hex");
}
