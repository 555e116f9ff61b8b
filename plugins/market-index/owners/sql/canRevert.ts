import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";

/** Says whether the journal reaches down to a fork. */
export async function canRevert(tx: Tx, { chainId, forkBlock }: Reorg): Promise<boolean> {
	const rows = await tx.query(
		"select from market_index.owner_journal where chain_id = $1 and complete_from > $2::int8 + 1",
		[chainId, forkBlock],
	);
	return rows.length === 0;
}
