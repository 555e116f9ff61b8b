import type { Queryable, Tx } from "#core/db/Database.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { GapReason } from "#plugins/chain-scanner/sql/gap.ts";

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

export type GivenUp = { from: number; to: number; reason: GapReason };

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
