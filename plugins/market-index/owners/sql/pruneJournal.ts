import type { Tx } from "#core/db/Database.ts";

/**
 * Deletes the journal of blocks that cannot leave the chain any more, and records that it is
 * complete only from this block on. By the indexes on the block.
 */
export async function pruneJournal(tx: Tx, chainId: number, below: number): Promise<void> {
	await tx.execute(
		`with spans as (
			delete from market_index.span_before where chain_id = $1 and block < $2
		), units as (
			delete from market_index.units_added where chain_id = $1 and block < $2
		)
		insert into market_index.owner_journal as kept (chain_id, complete_from) values ($1, $2)
		on conflict (chain_id) do update set complete_from = excluded.complete_from
		where kept.complete_from < excluded.complete_from`,
		[chainId, below],
	);
}
