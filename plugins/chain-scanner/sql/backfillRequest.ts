import type { Queryable, Tx } from "#core/db/Database.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

export type BackfillRequest = { chainId: number; lane: LaneKind; range: BlockRange };

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
			(chain_id, lane, from_block, to_block, reason, created_at, tried_at, above_at)
		select chain_id, lane, from_block, $3 - 1, reason, created_at, tried_at, above_at
			from old where from_block < $3
		union all
		select chain_id, lane, $4 + 1, to_block, reason, created_at, tried_at, above_at
			from old where to_block > $4
		union all
		select $1, $2, $3, $4, 'requested', now(), null, (select max(above_at) from old)`,
		values,
	);
	return true;
}

/** Owed blocks of a span, and those of them that were refused and set aside. */
export type Owed = { blocks: number; refused: number };

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

/** Deletes a request without owed blocks; a repeated request then begins anew. */
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
