import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";

/**
 * Resets walks to a fork: above it nothing was read, so the lane starts there, and walks end there.
 * No `least` for `next_block`: it would give a walk without one a beginning.
 */
export async function resetWalks(tx: Tx, { chainId, forkBlock }: Reorg): Promise<void> {
	await tx.execute(
		`update market_index.ownership set
			end_block = least(end_block, $2::int8),
			next_block = case when next_block > $2 + 1 then $2 + 1 else next_block end
		where chain_id = $1 and (end_block > $2::int8 or next_block > $2 + 1)`,
		[chainId, forkBlock],
	);
}
