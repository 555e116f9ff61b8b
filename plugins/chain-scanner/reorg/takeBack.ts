import type { Tx } from "#core/db/Database.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { type BlockRef, forgetBlocks, recordBlocks } from "#plugins/chain-scanner/sql/block.ts";
import { resetCursors } from "#plugins/chain-scanner/sql/cursor.ts";
import { clipGaps } from "#plugins/chain-scanner/sql/gap.ts";

/**
 * Removes everything above a block: rows, figures, blocks, what is owed, and lanes' progress. Under
 * the chain's lock; lanes read those numbers again.
 *
 * The block itself is then the base of the index. It is stored, as it may never have been (a lane
 * that skipped left a hole there): should it leave the chain too, that is one more fork, with a
 * known depth.
 */
export async function takeBack(
	tx: Tx,
	fork: { chainId: number; above: BlockRef; sinks: readonly EventSink[] },
): Promise<void> {
	const { chainId, above, sinks } = fork;
	const { number: block, hash } = above;
	await forgetBlocks(tx, chainId, block);
	const { fits } = await recordBlocks(tx, { chainId, blocks: [above], pruneBelow: 0 });
	if (!fits) throw scannerFault.forked({ detail: `block ${block}, which a fork begins above` });
	await resetCursors(tx, { chainId, block, hash });
	await clipGaps(tx, { chainId, above: block });
	for (const sink of sinks) await sink.revert(tx, { chainId, forkBlock: block });
}
