import type { Address, Hex } from "#core/chain/Hex.ts";
import type { ReceiptAsked } from "#plugins/wallets/chain/readReceipts.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/limits.ts";
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

/** Whether every honest node has come past the head at which a submission was planned. */
export function isPlannedLongAgo(
	{ sentAtMs, createdAtMs }: Pick<Submission, "sentAtMs" | "createdAtMs">,
	nowMs: number,
): boolean {
	return nowMs - (sentAtMs ?? createdAtMs) > UNSEEN_DROPPED_MS;
}

/** Whose nonce is looked for, and in which blocks: after the head at which it was planned. */
export function nonceAsked(
	{ clock }: Pick<ExecutionDeps, "clock">,
	submission: Submission,
): { address: Address; fromBlock: number; isFromBlockOld: boolean } {
	const { sender: address, fromBlock } = submission;
	const isFromBlockOld = isPlannedLongAgo(submission, clock.nowMs());
	return { address, fromBlock: fromBlock ?? 0, isFromBlockOld };
}
