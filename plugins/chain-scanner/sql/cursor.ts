// Stores how far each lane has come, and which block is stored early.

import { bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { REORG_DEPTH_DEFAULT } from "#plugins/chain-scanner/limits.ts";

/** A lane's position: everything up to and including this block is in the index. */
export type Cursor = {
	blockNumber: number;
	blockHash: Hex;
	headBlock: number;
	indexedAtMs: number;
	/** True while backfill owes blocks below. */
	owes: boolean;
	/**
	 * The times of the blocks from which and up to which nothing is missing; null where not known.
	 */
	sinceMs: number | null;
	untilMs: number | null;
	/** The block above, whose rows are stored and not confirmed yet. */
	early: EarlyMark | null;
	/** The time when it was last level with the head; null where only its writes show it. */
	levelAtMs: number | null;
};

/** A block that was stored as a node pushed it. */
export type EarlyMark = { block: number; hash: Hex };

export type CursorMove = {
	chainId: number;
	lane: LaneKind;
	/** The block at which the cursor must be now; null where the lane has none yet. */
	from: number | null;
	to: number;
	toHash: Hex;
	headBlock: number;
	atMs: number;
	/** The block at which a lane without a cursor begins, and its time, where it is known. */
	first?: { block: number; atMs: number | null };
	/** The time of the block `to`; null where only an earlier one is known. */
	toAtMs?: number | null;
	/** The early mark that must be stored now, or none: this move confirms it. */
	early?: EarlyMark | null;
};

type CursorColumns = Omit<Cursor, "indexedAtMs" | "sinceMs" | "untilMs" | "levelAtMs" | "early"> & {
	earlyBlock: number | null;
	earlyHash: Hex | null;
	indexedAt: Date;
	levelAt: Date | null;
	sinceAt: Date | null;
	untilAt: Date | null;
};

/** Reads a cursor by primary key; gaps by the index `gap_newest`. */
export async function readCursor(
	db: Queryable,
	chainId: number,
	lane: LaneKind,
): Promise<Cursor | null> {
	const rows = await db.query<CursorColumns>(
		`select block_number as "blockNumber",
			'0x' || encode(block_hash, 'hex') as "blockHash", head_block as "headBlock",
			indexed_at as "indexedAt", level_at as "levelAt", owed.owes, until_at as "untilAt",
			early_block as "earlyBlock", '0x' || encode(early_hash, 'hex') as "earlyHash",
			case when since_at is not null then greatest(since_at, owed.above_at) end as "sinceAt"
		from chain_scanner.cursor cross join lateral (
			select count(*) > 0 as owes, max(above_at) as above_at
			from chain_scanner.gap where gap.chain_id = $1 and gap.lane = $2
		) as owed
		where chain_id = $1 and lane = $2`,
		[chainId, lane],
	);
	const row = rows[0];
	if (!row) return null;
	const { indexedAt, levelAt, sinceAt, untilAt, earlyBlock, earlyHash, ...cursor } = row;
	const isEarly = earlyBlock !== null && earlyHash !== null;
	return {
		...cursor,
		early: isEarly ? { block: earlyBlock, hash: earlyHash } : null,
		indexedAtMs: indexedAt.getTime(),
		sinceMs: sinceAt?.getTime() ?? null,
		untilMs: untilAt?.getTime() ?? null,
		levelAtMs: levelAt?.getTime() ?? null,
	};
}

/**
 * Moves a cursor from where its lane left it. Returns false, and moves nothing, when it is
 * elsewhere: the lane's state is out of date then, and its rows must not be committed.
 */
export async function moveCursor(tx: Tx, move: CursorMove): Promise<boolean> {
	const values = [
		move.chainId,
		move.lane,
		move.to,
		bytesOf(move.toHash),
		move.headBlock,
		new Date(move.atMs),
		dateOf(move.toAtMs),
	];
	if (move.from === null) {
		const { block = null, atMs = null } = move.first ?? {};
		const inserted = await tx.execute(
			`insert into chain_scanner.cursor (chain_id, lane, block_number, block_hash, head_block,
				indexed_at, until_at, first_block, since_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
			[...values, block, dateOf(block === 0 ? 0 : atMs)],
		);
		return inserted === 1;
	}
	const moved = await tx.execute(
		`update chain_scanner.cursor
		set block_number = $3, block_hash = $4, head_block = $5, indexed_at = $6,
			until_at = coalesce($7, until_at), early_block = null, early_hash = null
		where chain_id = $1 and lane = $2 and block_number = $8
			and early_block is not distinct from $9 and early_hash is not distinct from $10`,
		[...values, move.from, move.early?.block ?? null, move.early ? bytesOf(move.early.hash) : null],
	);
	return moved === 1;
}

/**
 * Marks the block above the cursor as stored early. Returns false, and marks nothing, where the
 * cursor is elsewhere or another block is marked.
 */
export async function markEarly(
	tx: Tx,
	mark: EarlyMark & { chainId: number; lane: LaneKind },
): Promise<boolean> {
	const marked = await tx.execute(
		`update chain_scanner.cursor set early_block = $3, early_hash = $4
		where chain_id = $1 and lane = $2 and block_number = $3 - 1 and early_block is null`,
		[mark.chainId, mark.lane, mark.block, bytesOf(mark.hash)],
	);
	return marked === 1;
}

/** Returns the highest head that the chain's lanes have stored; 0 before the first. */
export async function readHead(db: Queryable, chainId: number): Promise<number> {
	const rows = await db.query<{ head: number }>(
		"select coalesce(max(head_block), 0) as head from chain_scanner.cursor where chain_id = $1",
		[chainId],
	);
	return rows[0]?.head ?? 0;
}

/**
 * Sets every lane beyond the fork back to it, and clears their early marks above. After an operator
 * takes back much, reading it again takes long: until then it is not known how far the lane has
 * come in time.
 */
export async function resetCursors(
	tx: Tx,
	fork: { chainId: number; block: number; hash: Hex },
): Promise<void> {
	await tx.execute(
		`update chain_scanner.cursor set
			block_number = least(block_number, $2),
			block_hash = case when block_number > $2 then $3 else block_hash end,
			until_at = case when block_number - $2 <= $4 then until_at end,
			early_block = null, early_hash = null
		where chain_id = $1 and (block_number > $2 or early_block > $2)`,
		[fork.chainId, fork.block, bytesOf(fork.hash), REORG_DEPTH_DEFAULT],
	);
}

/** Stores the chain's head while a lane cannot follow it. */
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

/** Records that the head was still the lane's own block at a time. */
export async function noteLevel(
	db: Queryable,
	level: { chainId: number; lane: LaneKind; block: number; atMs: number },
): Promise<void> {
	await db.execute(
		`update chain_scanner.cursor set level_at = $4
		where chain_id = $1 and lane = $2 and block_number = $3 and head_block <= $3
			and (level_at is null or level_at < $4)`,
		[level.chainId, level.lane, level.block, new Date(level.atMs)],
	);
}

function dateOf(ms: number | null | undefined): Date | null {
	return ms === null || ms === undefined ? null : new Date(ms);
}
