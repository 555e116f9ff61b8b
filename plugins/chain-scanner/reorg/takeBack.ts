import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { forgetBlocks } from "#plugins/chain-scanner/sql/block.ts";
import { resetCursors } from "#plugins/chain-scanner/sql/cursor.ts";
import { clipGaps } from "#plugins/chain-scanner/sql/gap.ts";

/**
 * Takes out everything above a block: rows, figures, blocks, what is owed, and how far lanes have
 * come. Under the chain's lock; lanes read those numbers again.
 */
export async function takeBack(
	tx: Tx,
	fork: { chainId: number; block: number; hash: Hex; sinks: readonly EventSink[] },
): Promise<void> {
	const { chainId, block, hash, sinks } = fork;
	await forgetBlocks(tx, chainId, block);
	await resetCursors(tx, { chainId, block, hash });
	await clipGaps(tx, { chainId, above: block });
	for (const sink of sinks) await sink.revert(tx, { chainId, forkBlock: block });
}
