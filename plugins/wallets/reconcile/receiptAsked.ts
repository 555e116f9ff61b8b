import type { Hex } from "#core/chain/Hex.ts";
import type { ReceiptAsked } from "#plugins/wallets/chain/readReceipt.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { isPlannedLongAgo } from "#plugins/wallets/reconcile/isPlannedLongAgo.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * How a submission's hash is asked for, with what its receipt is held against: it cannot be mined
 * far below the head at which it was planned.
 *
 * Where the chain has still not come to that head after a while, the head was false: then the rest
 * of what is checked has to do.
 */
export function receiptAsked(
	{ clock, settings }: Pick<ExecutionDeps, "clock" | "settings">,
	submission: Submission,
	hash: Hex,
): ReceiptAsked {
	const { blockNumber, blockHash, fromBlock } = submission;
	return {
		hash,
		minBlock: blockNumber ?? 0,
		knownBlock: blockHash,
		finalDepth: settings.finalDepthBlocks,
		oldestBlock(headBlock) {
			if (fromBlock === null) return 0;
			const isFalse = fromBlock > headBlock && isPlannedLongAgo(submission, clock.nowMs());
			return isFalse ? 0 : Math.min(fromBlock, headBlock) - settings.finalDepthBlocks;
		},
	};
}
