// Stores which blocks lanes owe, and which spans operators asked for.

import { BLOCK_NUMBER_MAX } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { type RowSource, readRows, rowField } from "#core/quarantine.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

export type BackfillRequest = { chainId: number; lane: LaneKind; range: BlockRange };

/** Owed blocks of a span, and those of them that were refused and set aside. */
export type Owed = { blocks: number; refused: number };

/** A span that a lane skipped, and that backfill owes. */
export type Gap = {
	id: number;
	chainId: number;
	lane: LaneKind;
	from: number;
	to: number;
	/** True for a block that was refused before and set aside. */
	tried: boolean;
};

/**
 * Says why a span is owed. `contradicted`: what nodes say of the block does not hold together.
 */
export type GapReason =
	| "restart_behind"
	| "range_refused"
	| "rows_refused"
	| "contradicted"
	| "requested";

/** A span that is owed, as operators see it. */
export type ListedGap = BlockRange & {
	chainId: number;
	lane: LaneKind;
	reason: GapReason;
	/** The words of what refused it last; null where nothing has. */
	detail: string | null;
	createdAt: Date;
	triedAt: Date | null;
};

export type UnreadBlocks = { chainId: number; lane: LaneKind; blocks: number; sinceAt: Date };

export type GivenUp = { from: number; to: number; reason: GapReason };

const { whole } = rowField;
const columns = `id, chain_id as "chainId", lane, from_block as "from", to_block as "to",
	tried_at is not null as tried`;

/** Parses a gap's row: one with impossible blocks must not keep those behind it from a turn. */
export const gapRow: RowSource<Gap, Gap> = {
	table: "chain_scanner.gap",
	select: `select ${columns} from chain_scanner.gap where id = any($1::int8[])`,
	keyOf: ({ id }) => String(id),
	read({ id, chainId, lane, from, to, tried }) {
		const range = { from: whole(from, BLOCK_NUMBER_MAX), to: whole(to, BLOCK_NUMBER_MAX) };
		return { id: whole(id), chainId: whole(chainId), lane, ...range, tried };
	},
};

/**
 * Records a requested span, and owes it; false where the same one was requested before and is not
 * done: then the rest of it is owed already. Other owed parts of the span become part of it, so
 * that no block is owed twice, and none is too old any more.
 *
 * Under the chain's lock, as everything that changes gaps it did not find itself.
 */
export async function openRequest(tx: Tx, request: BackfillRequest): Promise<boolean> {
	const { chainId, lane, range } = request;
	const values = [chainId, lane, range.from, range.to];
	const opened = await tx.execute(
		`insert into chain_scanner.backfill_request (chain_id, lane, from_block, to_block)
		values ($1, $2, $3, $4) on conflict do nothing`,
		values,
	);
	if (opened === 0) return false;
	await tx.execute(
		`with old as (
			delete from chain_scanner.gap
			where chain_id = $1 and lane = $2 and from_block <= $4 and to_block >= $3
			returning *
		)
		insert into chain_scanner.gap
			(chain_id, lane, from_block, to_block, reason, created_at, tried_at, above_at, detail)
		select chain_id, lane, from_block, $3 - 1, reason, created_at, tried_at, above_at, detail
			from old where from_block < $3
		union all
		select chain_id, lane, $4 + 1, to_block, reason, created_at, tried_at, above_at, detail
			from old where to_block > $4
		union all
		select $1, $2, $3, $4, 'requested', now(), null, (select max(above_at) from old), null`,
		values,
	);
	return true;
}

/**
 * Returns what lanes owe, the newest blocks first, with why. By the index `gap_newest`; a lane has
 * few gaps.
 */
export function listGaps(
	db: Queryable,
	of: { chainIds: readonly number[]; limit: number },
): Promise<ListedGap[]> {
	return db.query<ListedGap>(
		`select chain_id as "chainId", lane, from_block as "from", to_block as "to", reason, detail,
			created_at as "createdAt", tried_at as "triedAt"
		from chain_scanner.gap where chain_id = any($1::int8[])
		order by chain_id, lane, to_block desc limit $2`,
		[of.chainIds, of.limit],
	);
}

/** Counts blocks by lane that no reading made sense of, with the time of the oldest. */
export function countUnread(db: Queryable): Promise<UnreadBlocks[]> {
	return db.query<UnreadBlocks>(
		`select chain_id as "chainId", lane, sum(to_block - from_block + 1)::int8 as blocks,
			min(created_at) as "sinceAt"
		from chain_scanner.gap where tried_at is not null or reason = 'contradicted'
		group by chain_id, lane order by chain_id, lane`,
	);
}

/** Lets blocks that were set aside be read again at once; returns how many spans there are. */
export function retryGaps(tx: Tx, chainIds: readonly number[]): Promise<number> {
	return tx.execute(
		`update chain_scanner.gap set tried_at = null
		where chain_id = any($1::int8[]) and tried_at is not null`,
		[chainIds],
	);
}

/** Counts by the index `gap_newest`; a lane has few gaps. */
export async function owedWithin(db: Queryable, request: BackfillRequest): Promise<Owed> {
	const { chainId, lane, range } = request;
	const rows = await db.query<Owed>(
		`with part as (
			select least(to_block, $4) - greatest(from_block, $3) + 1 as blocks, tried_at
			from chain_scanner.gap
			where chain_id = $1 and lane = $2 and from_block <= $4 and to_block >= $3
		)
		select coalesce(sum(blocks), 0)::int8 as blocks,
			coalesce(sum(blocks) filter (where tried_at is not null), 0)::int8 as refused
		from part`,
		[chainId, lane, range.from, range.to],
	);
	return rows[0] ?? { blocks: 0, refused: 0 };
}

/** Deletes a request without missing blocks; a repeated request then begins anew. */
export async function closeRequest(tx: Tx, request: BackfillRequest): Promise<void> {
	const { chainId, lane, range } = request;
	await tx.execute(
		`delete from chain_scanner.backfill_request as asked
		where chain_id = $1 and lane = $2 and from_block = $3 and to_block = $4 and not exists (
			select from chain_scanner.gap
			where gap.chain_id = asked.chain_id and gap.lane = asked.lane
				and gap.from_block <= asked.to_block and gap.to_block >= asked.from_block
		)`,
		[chainId, lane, range.from, range.to],
	);
}

export async function insertGap(
	tx: Tx,
	gap: {
		chainId: number;
		lane: LaneKind;
		range: BlockRange;
		reason: GapReason;
		/** The words of what refused it; null where nothing did. */
		detail?: string | null;
		/** The time of the block above it; null where it is not known. */
		aboveAtMs?: number | null;
	},
): Promise<void> {
	const { chainId, lane, range, reason, detail = null, aboveAtMs } = gap;
	await tx.execute(
		`insert into chain_scanner.gap (chain_id, lane, from_block, to_block, reason, above_at, detail)
		values ($1, $2, $3, $4, $5, coalesce($6, now()), $7)`,
		[chainId, lane, range.from, range.to, reason, dateOf(aboveAtMs), detail],
	);
}

/**
 * Returns what to drain next: the newest blocks first; refused ones last, the longest untried
 * first, and not before a rest. By the index `gap_newest`; a lane has few gaps. One that cannot be
 * read is null once, and left out from then on.
 */
export async function nextGap(
	db: Queryable,
	owed: { chainId: number; lane: LaneKind; restMs: number },
): Promise<Gap | null> {
	const rows = await db.query<Gap>(
		`select ${columns} from chain_scanner.gap
		where chain_id = $1 and lane = $2 and not exists (
				select from core.quarantined_row
				where source = 'chain_scanner.gap' and key = gap.id::text
			)
			and (tried_at is null or tried_at <= clock_timestamp() - $3 * interval '1 millisecond')
		order by tried_at nulls first, to_block desc limit 1`,
		[owed.chainId, owed.lane, owed.restMs],
	);
	return (await readRows(db, gapRow, rows)).items[0] ?? null;
}

/**
 * Takes `[from, gap.to]` off the top of a gap; false when it no longer ends where it did.
 *
 * @param fromAtMs the time of the block `from`; null where it is not known: the stored time is a
 * later block's then.
 */
export async function shrinkGap(
	tx: Tx,
	gap: Gap,
	{ from, fromAtMs }: { from: number; fromAtMs: number | null },
): Promise<boolean> {
	const at = dateOf(fromAtMs);
	if (from > gap.from) {
		const touched = await tx.execute(
			`update chain_scanner.gap set to_block = $3, above_at = coalesce($4, above_at)
			where id = $1 and to_block = $2`,
			[gap.id, gap.to, from - 1, at],
		);
		return touched === 1;
	}
	// Two statements: the second must see that the gap is gone.
	const [touched] = await Promise.all([
		tx.execute("delete from chain_scanner.gap where id = $1 and to_block = $2", [gap.id, gap.to]),
		tx.execute(
			`update chain_scanner.cursor as lane set first_block = asked.from_block,
				since_at = case when asked.from_block = 0 then 'epoch' else $3::timestamptz end
			from chain_scanner.backfill_request as asked
			where asked.chain_id = lane.chain_id and asked.lane = lane.lane and asked.from_block = $1
				and lane.lane = $2 and lane.chain_id = $4 and $3::timestamptz is not null
				and lane.first_block > asked.from_block and lane.first_block <= asked.to_block + 1
				and not exists (
					select from chain_scanner.gap
					where gap.chain_id = lane.chain_id and gap.lane = lane.lane
						and gap.to_block >= asked.from_block and gap.from_block < lane.first_block
				)`,
			[gap.from, gap.lane, at, gap.chainId],
		),
	]);
	return touched === 1;
}

/**
 * Cuts every gap at a fork: lanes that went beyond it continue from there, and read the rest
 * themselves.
 */
export async function clipGaps(tx: Tx, fork: { chainId: number; above: number }): Promise<void> {
	const values = [fork.chainId, fork.above];
	await tx.execute("delete from chain_scanner.gap where chain_id = $1 and from_block > $2", values);
	await tx.execute(
		"update chain_scanner.gap set to_block = $2 where chain_id = $1 and to_block > $2",
		values,
	);
}

/**
 * Sets the top block of a gap aside, to be retried later, so that the blocks below it can be
 * drained; false when the gap no longer ends where it did. A block that an operator requested stays
 * requested, so that it is never too old.
 */
export async function setTopAside(
	tx: Tx,
	gap: Gap & { detail?: string },
	reason: GapReason,
): Promise<boolean> {
	const { detail = null } = gap;
	if (gap.from === gap.to) {
		const touched = await tx.execute(
			`update chain_scanner.gap set tried_at = clock_timestamp(), detail = $3,
				reason = case when reason = 'requested' then reason else $4 end
			where id = $1 and from_block = to_block and to_block = $2`,
			[gap.id, gap.to, detail, reason],
		);
		return touched === 1;
	}
	const touched = await tx.execute(
		`with cut as (
			update chain_scanner.gap set to_block = to_block - 1
			where id = $1 and to_block = $2
			returning chain_id, lane, above_at, reason
		)
		insert into chain_scanner.gap
			(chain_id, lane, from_block, to_block, reason, tried_at, above_at, detail)
		select chain_id, lane, $2::int8, $2::int8,
			case when reason = 'requested' then reason else $3 end, clock_timestamp(), above_at, $4
		from cut`,
		[gap.id, gap.to, reason, detail],
	);
	return touched === 1;
}

/**
 * Returns the block below which what a lane owes is too old, measured from the newest block that
 * any lane has read; null while nothing is. An operator's request is never too old. By the primary
 * key of `cursor` and the index `gap_newest`; a lane has few gaps.
 */
export async function findOldOwed(
	db: Queryable,
	owed: { chainId: number; lane: LaneKind; lagBlocksMax: number },
): Promise<number | null> {
	const rows = await db.query<{ below: number }>(
		`with floor as (
			select max(block_number) - $3::int8 as below from chain_scanner.cursor where chain_id = $1
		)
		select below from floor where exists (
			select from chain_scanner.gap
			where chain_id = $1 and lane = $2 and from_block < below and reason <> 'requested'
		)`,
		[owed.chainId, owed.lane, owed.lagBlocksMax],
	);
	return rows[0]?.below ?? null;
}

/**
 * Deletes what a lane owes below a block, and returns it. The lane then covers only what is above.
 */
export async function giveUpGaps(
	tx: Tx,
	old: { chainId: number; lane: LaneKind; below: number },
): Promise<GivenUp[]> {
	return tx.query<GivenUp>(
		`with old as (
			select id, from_block, to_block, reason, above_at from chain_scanner.gap
			where chain_id = $1 and lane = $2 and from_block < $3 and reason <> 'requested'
			for update
		), gone as (
			delete from chain_scanner.gap using old where gap.id = old.id and old.to_block < $3
		), cut as (
			update chain_scanner.gap set from_block = $3
			from old where gap.id = old.id and old.to_block >= $3
		), moved as (
			update chain_scanner.cursor as lane set
				first_block = greatest(lane.first_block, gone.below),
				since_at = greatest(lane.since_at, gone.above_at)
			from (
				select max(least(to_block, $3 - 1)) + 1 as below, max(above_at) as above_at from old
			) as gone
			where lane.chain_id = $1 and lane.lane = $2 and gone.below is not null
		)
		select from_block as "from", least(to_block, $3 - 1) as "to", reason from old
		order by from_block`,
		[old.chainId, old.lane, old.below],
	);
}

function dateOf(ms: number | null | undefined): Date | null {
	return ms === null || ms === undefined ? null : new Date(ms);
}
