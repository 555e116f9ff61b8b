import type { Tx } from "#core/db/Database.ts";

/** Forgets the journal of blocks that no longer leave the chain. By the indexes on the block. */
export async function pruneJournal(tx: Tx, chainId: number, below: number): Promise<void> {
	const values = [chainId, below];
	await tx.execute(
		`with spans as (
			delete from market_index.span_before where chain_id = $1 and block < $2
		)
		delete from market_index.units_added where chain_id = $1 and block < $2`,
		values,
	);
}
