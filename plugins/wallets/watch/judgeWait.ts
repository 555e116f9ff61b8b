import type { Chain } from "#core/chain/Chain.ts";
import { unreachable } from "#core/fault/unreachable.ts";
import type { SlowAfter } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { ASK_AGAIN_AFTER_MS } from "#plugins/wallets/submission/limits.ts";
import type { HeldNonce } from "#plugins/wallets/submission/NonceQueue.ts";
import type { SubmissionState } from "#plugins/wallets/submission/Submission.ts";
import { SLOW_AFTER_BLOCKS, type WaitReason } from "#plugins/wallets/watch/WaitReason.ts";

/** What is known of an intent that is not settled. */
export type Waiting = {
	status: IntentStatus;
	isUnreadable: boolean;
	/** Where its payment stands; null: there is none that can be read. */
	state: SubmissionState | null;
	/** The nonce that we handed it over under; null where its owner's wallet chose one. */
	nonce: number | null;
	seenAtMs: number | null;
	/** Of its newest cancellation. */
	cancelling: SubmissionState | null;
};

/** What is known of the wallet's nonce queue. */
export type QueueFacts = {
	/** From the highest nonce that is mined on, ascending. */
	held: readonly HeldNonce[];
	/** A node counts transactions that our records do not explain. */
	isUnproven: boolean;
};

/** Names what an intent waits for, the most serious thing first. */
export function judgeWait(waiting: Waiting, queue: QueueFacts, nowMs: number): WaitReason {
	const { state, cancelling } = waiting;
	if (waiting.isUnreadable) return "unreadable";
	if (waiting.status === "review_required") return "review";
	if (cancelling === "mined" || cancelling === "reverted") return "cancelling";
	switch (state) {
		case null:
			// Only what cannot be read has no payment: its mark is on its way.
			return "unreadable";
		case "queued":
			if (isBehind(queue.held, null)) return "behind";
			return queue.isUnproven ? "nonce_unproven" : "queued";
		case "sending":
			return "handing_over";
		case "doubtful":
			return isUsed(waiting, queue) ? "nonce_used" : "in_doubt";
		case "dropped":
		case "refused":
			return isUsed(waiting, queue) ? "nonce_used" : state;
		case "mined":
		case "reverted":
		case "never":
			return "settling";
		case "sent":
			return judgeSent(waiting, queue, nowMs);
		default:
			return unreachable(state);
	}
}

function judgeSent(waiting: Waiting, queue: QueueFacts, nowMs: number): WaitReason {
	const { nonce, seenAtMs } = waiting;
	const { held } = queue;
	if (nonce !== null) {
		if (isUsed(waiting, queue)) return "nonce_used";
		if (isBehind(held, nonce)) return "behind";
		if (isAboveGap(held, nonce)) return "nonce_gap";
	}
	const isSeen = seenAtMs !== null && nowMs - seenAtMs <= UNSEEN_AFTER_MS;
	return isSeen ? "slow" : "unseen";
}

/** As `cancel` refuses it: what has the nonce, or had it, is what decides. */
function isUsed({ state, nonce }: Waiting, { held }: QueueFacts): boolean {
	if (nonce === null) return false;
	return held.some((one) => {
		const isMined = one.state === "mined" || one.state === "reverted";
		if (isMined && one.nonce >= nonce) return true;
		// What was refused holds no nonce itself.
		return state === "refused" && one.nonce === nonce && one.purpose === "pay";
	});
}

/** Looks come a tenth of its age apart, five minutes at most (`nextLookMs`). */
const UNSEEN_AFTER_MS = 300_000 + ASK_AGAIN_AFTER_MS;

/** Whether something below may or may not be used: nothing goes past it. Null: below anything. */
function isBehind(held: readonly HeldNonce[], nonce: number | null): boolean {
	return held.some((one) => isLost(one.state) && (nonce === null || one.nonce < nonce));
}

function isLost(state: SubmissionState): boolean {
	return state === "doubtful" || state === "dropped";
}

/** Whether a nonce between the lowest that is known to be held and this one is held by nothing. */
function isAboveGap(held: readonly HeldNonce[], nonce: number): boolean {
	const below = new Set(held.map((one) => one.nonce).filter((one) => one < nonce));
	const lowest = Math.min(...below, nonce);
	return below.size < nonce - lowest;
}

/** For how long a transaction waits on each chain before it is slow: 20 blocks at least. */
export function slowAfterOf(
	reached: readonly { chain: Pick<Chain, "id" | "blockMs"> }[],
	defaultMs: number,
): SlowAfter {
	const byChain = new Map<number, number>();
	for (const { chain } of reached) {
		const needsMs = SLOW_AFTER_BLOCKS * (chain.blockMs ?? 0);
		if (needsMs > defaultMs) byChain.set(chain.id, needsMs);
	}
	return { defaultMs, byChain };
}
