import type { Address } from "#core/chain/Hex.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { isPlannedLongAgo } from "#plugins/wallets/reconcile/isPlannedLongAgo.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** Whose nonce is looked for, and in which blocks: after the head at which it was planned. */
export function nonceAsked(
	{ clock }: Pick<ExecutionDeps, "clock">,
	submission: Submission,
): { address: Address; fromBlock: number; isFromBlockOld: boolean } {
	const { sender: address, fromBlock } = submission;
	const isFromBlockOld = isPlannedLongAgo(submission, clock.nowMs());
	return { address, fromBlock: fromBlock ?? 0, isFromBlockOld };
}
