import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";

/** Where a lane stands: everything up to and including this block is in the index. */
export type Cursor = {
	blockNumber: number;
	blockHash: Hex;
	headBlock: number;
	indexedAtMs: number;
	/** True while backfill owes blocks below. */
	owes: boolean;
};

/** By primary key; gaps by the index `gap_newest`. */
export async function readCursor(
	db: Queryable,
	chainId: number,
	lane: LaneKind,
): Promise<Cursor | null> {
	const rows = await db.query<Omit<Cursor, "indexedAtMs"> & { indexedAt: Date }>(
		`select block_number as "blockNumber",
			'0x' || encode(block_hash, 'hex') as "blockHash", head_block as "headBlock",
			indexed_at as "indexedAt",
			exists (
				select from chain_scanner.gap where gap.chain_id = $1 and gap.lane = $2
			) as owes
		from chain_scanner.cursor where chain_id = $1 and lane = $2`,
		[chainId, lane],
	);
	const row = rows[0];
	if (!row) return null;
	const { indexedAt, ...cursor } = row;
	return { ...cursor, indexedAtMs: indexedAt.getTime() };
}

export type CursorMove = {
	chainId: number;
	lane: LaneKind;
	/** Where the cursor must stand now; null where the lane has none yet. */
	from: number | null;
	to: number;
	toHash: Hex;
	headBlock: number;
	atMs: number;
};

/**
 * Moves a cursor from where its lane left it. Answers false, and moves nothing, when it stands
 * elsewhere: the lane's picture is old then, and its rows must not be committed.
 */
export async function moveCursor(tx: Tx, move: CursorMove): Promise<boolean> {
	const values = [
		move.chainId,
		move.lane,
		move.to,
		Buffer.from(move.toHash.slice(2), "hex"),
		move.headBlock,
		new Date(move.atMs),
	];
	if (move.from === null) {
		const inserted = await tx.execute(
			`insert into chain_scanner.cursor
				(chain_id, lane, block_number, block_hash, head_block, indexed_at)
			values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
			values,
		);
		return inserted === 1;
	}
	const moved = await tx.execute(
		`update chain_scanner.cursor
		set block_number = $3, block_hash = $4, head_block = $5, indexed_at = $6
		where chain_id = $1 and lane = $2 and block_number = $7`,
		[...values, move.from],
	);
	return moved === 1;
}

/** The highest head that the chain's lanes have heard of; 0 before any has. */
export async function readHead(db: Queryable, chainId: number): Promise<number> {
	const rows = await db.query<{ head: number }>(
		"select coalesce(max(head_block), 0) as head from chain_scanner.cursor where chain_id = $1",
		[chainId],
	);
	return rows[0]?.head ?? 0;
}

/** Every lane that went beyond the fork goes on from there. */
export async function resetCursors(
	tx: Tx,
	fork: { chainId: number; block: number; hash: Hex },
): Promise<void> {
	await tx.execute(
		`update chain_scanner.cursor set block_number = $2, block_hash = $3
		where chain_id = $1 and block_number > $2`,
		[fork.chainId, fork.block, Buffer.from(fork.hash.slice(2), "hex")],
	);
}

/** Records how far the chain has gone while a lane cannot follow it. */
export async function touchCursor(
	db: Queryable,
	touch: { chainId: number; lane: LaneKind; headBlock: number },
): Promise<void> {
	await db.execute(
		`update chain_scanner.cursor set head_block = $3
		where chain_id = $1 and lane = $2 and head_block < $3`,
		[touch.chainId, touch.lane, touch.headBlock],
	);
}
