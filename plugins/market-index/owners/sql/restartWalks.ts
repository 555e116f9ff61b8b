import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";

/**
 * Deletes every owner of a chain and has its contracts walked again, up to the fork, wherever the
 * lane had taken over before. This never happens by accident: only an operator takes back more than
 * the journal has.
 */
export async function restartWalks(tx: Tx, { chainId, forkBlock }: Reorg): Promise<void> {
	await tx.execute(
		`insert into market_index.owner_garbage
		select set_id from market_index.ownership where chain_id = $1`,
		[chainId],
	);
	await tx.execute(
		`update market_index.ownership set set_id = default, next_block = null, owners = 0,
			minted = 0, burned = 0, end_block = $2
		where chain_id = $1`,
		[chainId, forkBlock],
	);
}
