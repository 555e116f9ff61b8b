// Names what an intent waits for, and from when on it waits too long.

import type { Chain } from "#core/chain/Chain.ts";
import { unreachable } from "#core/fault.ts";
import type { SlowAfter } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { IntentStatus } from "#plugins/wallets/intent/Intent.ts";
import type { SubmissionState } from "#plugins/wallets/model.ts";
import { ASK_AGAIN_AFTER_MS, type HeldNonce } from "#plugins/wallets/submission/nonceQueue.ts";

/** Names why an intent is not settled. The codes are stable: answers and metrics contain them. */
export type WaitReason =
	/** An operator's yes: its kind says why. */
	| "review"
	/** Waits for the owner's answer whether it was paid already. */
	| "looks_paid"
	/** The payment is mined, and its receipt and the balances of its block differ. */
	| "arrival_doubtful"
	/** The intent's row, or its transaction's, cannot be read. */
	| "unreadable"
	/** Nobody can say whether it left. */
	| "in_doubt"
	/** The payment was sent, and no node knows it any more. */
	| "dropped"
	/** The wallet provider refused what it had signed: a node may still receive it. */
	| "refused"
	/** A lower nonce of the wallet is in doubt or was dropped. */
	| "behind"
	/** A lower nonce of the wallet is free, by our records. */
	| "nonce_gap"
	/** Nodes count transactions of the wallet that we do not know of. */
	| "nonce_unproven"
	/** The payment waits in its nonce queue: gas is above its limit, or the chain does not answer. */
	| "queued"
	/** The payment is being handed over, for longer than that takes. */
	| "handing_over"
	/** The payment was sent, and no node has shown it for long. */
	| "unseen"
	/** Nodes know it, and it is not mined. */
	| "slow"
	/** Another transaction of its wallet has its nonce, or the chain has counted past it. */
	| "nonce_used"
	/** The cancellation used the nonce, and is not final yet. */
	| "cancelling"
	/** The payment is mined, and what follows from that is not stored yet. */
	| "settling";

/** Holds what is known of an intent that is not settled. */
export type Waiting = {
	status: IntentStatus;
	isUnreadable: boolean;
	/** The state of its payment; null: no payment can be read. */
	state: SubmissionState | null;
	/** The nonce that we handed it over under; null where its owner's wallet chose one. */
	nonce: number | null;
	seenAtMs: number | null;
	/** The state of its newest cancellation. */
	cancelling: SubmissionState | null;
};

/** Holds what is known of the wallet's nonce queue. */
export type QueueFacts = {
	/** Nonces from the highest that is mined on, ascending. */
	held: readonly HeldNonce[];
	/** A node counts transactions that our records do not explain. */
	isUnproven: boolean;
};

/** Limits how often figures of waiting payments are read, and how long one answer is reused. */
export const WATCH_EVERY_MS = 10_000;

export const WATCH_TIMEOUT_MS = 30_000;

export const WATCH_FRESH_MS = 5_000;

/** Intents that are judged one by one for the figures; the oldest come first. */
export const WATCHED_MAX = 1_000;

/** Open intents that are counted. More are shown as so many. */
export const COUNTED_MAX = 20_000;

/**
 * Reports a payment that waits in a nonce queue for this long: the job had several turns by then.
 */
export const QUEUED_BLOCKED_AFTER_MS = 10_000;

/** Nonces of one account that are read. */
export const HELD_MAX = 2_000;

/** Entries of the spend ledger that one turn checks: the newest ones, and as many older ones. */
export const LEDGER_CHECKED_MAX = 500;

/** Intents whose entries do not fit that are remembered. More are as bad. */
export const LEDGER_FLAWS_MAX = 1_000;

/** Blocks that a transaction is given before it counts as slow. */
export const SLOW_AFTER_BLOCKS = 20;

/** Intents that operators are shown at once; the oldest come first. */
export const WAITING_LISTED_MAX = 200;

/** Looks come a tenth of its age apart, five minutes at most (`nextLookMs`). */
const UNSEEN_AFTER_MS = 300_000 + ASK_AGAIN_AFTER_MS;

/** Says for each reason what it means, and what an operator does about it, each in a sentence. */
export const waitWords: Readonly<Record<WaitReason, { waitsFor: string; remedy: string }>> = {
	review: {
		waitsFor: "An operator's yes or no; it runs out after a day.",
		remedy: 'Look at it and answer: resolve {"review": "approve"} or {"review": "refuse"}.',
	},
	looks_paid: {
		waitsFor: "Its owner's word, by the link: whether its wallet paid it already. Ten minutes.",
		remedy:
			"Nothing, where the owner answers. Where nobody is there (a buyback, an armed plan), look at " +
			'what the wallet sent, then resolve {"pastKnown": true}: it is not asked about any more.',
	},
	arrival_doubtful: {
		waitsFor: "An operator's word: its receipt and balances differ on whether all arrived.",
		remedy:
			'Look at token and recipient, then resolve {"arrived": true} or {"arrived": false}; the ' +
			"recipient may have passed it on at once.",
	},
	unreadable: {
		waitsFor: "The row, which somebody has to repair. It goes on by itself once it can be read.",
		remedy: "Repair the rows that core.quarantined_row names: they go on by themselves.",
	},
	in_doubt: {
		waitsFor: "Proof that it left or not: it is looked for until its nonce is used.",
		remedy: 'Call them off (resolve {"callOff": true}), or name the hash of what was sent.',
	},
	dropped: {
		waitsFor: "Its nonce to be used: no node knows the transaction, and any may learn of it again.",
		remedy: 'Call them off (resolve {"callOff": true}): the nonce is used by nothing then.',
	},
	refused: {
		waitsFor: "Its nonce to be used, by the wallet's next transaction or by a cancellation.",
		remedy: 'Call them off (resolve {"callOff": true}) where the wallet sends nothing else.',
	},
	behind: {
		waitsFor: "A lower nonce of its wallet, whose transaction is in doubt or was dropped.",
		remedy:
			'Call off what stands in the way first (reason in_doubt or dropped): {"callOff": true}.',
	},
	nonce_gap: {
		waitsFor: "A lower nonce of its wallet, which by our records nothing uses.",
		remedy: 'Call them off (resolve {"callOff": true}): free lower nonces are filled first.',
	},
	nonce_unproven: {
		waitsFor: "A later block that says the same: a node counts transactions that we do not know.",
		remedy: "Check the chain's endpoints: one of them counts nonces that others do not know.",
	},
	queued: {
		waitsFor: "Gas below its limit, and a chain that answers. It runs out with its plan.",
		remedy: "Check the chain's endpoints and the price of gas; what runs out gives its spend back.",
	},
	handing_over: {
		waitsFor: "The wallet provider's answer, or the next look at it where its process is gone.",
		remedy: "Check that the jobs run, and that the wallet provider answers.",
	},
	unseen: {
		waitsFor: "A node that knows it. After ten minutes without one it counts as dropped.",
		remedy: 'Check the chain\'s endpoints; call off what does not appear: {"callOff": true}.',
	},
	slow: {
		waitsFor: "A block that takes it.",
		remedy:
			'Call off what must not wait (resolve {"callOff": true}): it is replaced at a better price.',
	},
	nonce_used: {
		waitsFor: "What used its nonce, or has it now, to be mined and final: that decides.",
		remedy: 'Nothing, while the chain makes blocks; resolve {"abandon": true} asks at once.',
	},
	cancelling: {
		waitsFor: "TRADING_FINAL_DEPTH_BLOCKS on top of its cancellation, which is mined.",
		remedy: "Nothing, while the chain makes blocks: check its endpoints where this takes long.",
	},
	settling: {
		waitsFor: "The next look at it, or the plugin that knows what was paid for.",
		remedy: "Check that the jobs run, and that the plugins of all kinds of intents are loaded.",
	},
};

/** Names what an intent waits for, the most serious thing first. */
export function judgeWait(waiting: Waiting, queue: QueueFacts, nowMs: number): WaitReason {
	const { state, cancelling } = waiting;
	if (waiting.isUnreadable) return "unreadable";
	if (waiting.status === "review_required") return "review";
	if (waiting.status === "confirmation_required") return "looks_paid";
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
			return waiting.status === "uncertain" ? "arrival_doubtful" : "settling";
		case "reverted":
		case "never":
			return "settling";
		case "sent":
			return judgeSent(waiting, queue, nowMs);
		default:
			return unreachable(state);
	}
}

/**
 * Returns how long a transaction waits on each chain before it counts as slow: 20 blocks at least.
 */
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

/**
 * Returns whether a lower nonce may or may not be used, so that nothing is mined after it. Null:
 * below any nonce.
 */
function isBehind(held: readonly HeldNonce[], nonce: number | null): boolean {
	return held.some((one) => isLost(one.state) && (nonce === null || one.nonce < nonce));
}

function isLost(state: SubmissionState): boolean {
	return state === "doubtful" || state === "dropped";
}

/** Says whether a mined or refused transaction used the nonce; then `cancel` refuses too. */
function isUsed({ state, nonce }: Waiting, { held }: QueueFacts): boolean {
	if (nonce === null) return false;
	return held.some((one) => {
		const isMined = one.state === "mined" || one.state === "reverted";
		if (isMined && one.nonce >= nonce) return true;
		// What was refused holds no nonce itself.
		return state === "refused" && one.nonce === nonce && one.purpose === "pay";
	});
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

/** Returns whether a nonce between the lowest held one and this one is held by no transaction. */
function isAboveGap(held: readonly HeldNonce[], nonce: number): boolean {
	const below = new Set(held.map((one) => one.nonce).filter((one) => one < nonce));
	const lowest = Math.min(...below, nonce);
	return below.size < nonce - lowest;
}
