// Decides a submission's next state: by what was found, and by how long nothing was.

import type { Hex } from "#core/chain/Hex.ts";
import type { SubmissionState } from "#plugins/wallets/model.ts";
import {
	PROOF_GRACE_MS,
	SIGNED_UNSEEN_MS,
	UNSEEN_DROPPED_MS,
} from "#plugins/wallets/reconcile/looks.ts";
import type { Seen } from "#plugins/wallets/reconcile/settleMined.ts";
import { ASK_AGAIN_AFTER_MS } from "#plugins/wallets/submission/nonceQueue.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";

/** Holds what is known of a submission from the wallet provider and the chain. */
export type Finding =
	/** The transaction waits or is mined: `sighting.receipt` says which. */
	| Extract<Seen, { kind: "seen" }>
	/** The transaction has a hash, and the node does not know it (yet). */
	| { kind: "told"; transactionHash: Hex }
	/** The node has not known the hash for so long that none may know it any more. */
	| { kind: "dropped"; transactionHash: Hex }
	/** The wallet provider gave it up and names its hash: signed, and known to no node. */
	| { kind: "refused"; transactionHash: Hex }
	/** Nobody knows it, and nothing is proved. */
	| { kind: "unknown" }
	/** The transaction can never be mined. */
	| {
			kind: "never";
			/** For an owner's own wallet: `replaced` and `cancelled` say what it sent instead. */
			code: "not_sent" | "replaced" | "cancelled";
			detail: string;
			/** True if the reported hash belongs to another intent, or to none. */
			isOthers?: boolean;
			/** The transaction that finally used its nonce: no more lookups are needed. */
			usedBy?: Hex;
	  };

/**
 * Names the states in which a submission is looked up. `denied`: `never` by the wallet provider's
 * answer alone, where no hash was ever reported.
 */
export type LookedAtState = Reached | "denied";

/**
 * Names what a lookup found, as far as it decides the state. `waits`: a node knows it, not in a
 * block. `claimed`: one source reports a revert, and no second one yet.
 */
export type Fact = "waits" | "mined" | "reverted" | "claimed" | Exclude<Finding["kind"], "seen">;

/** Names the states that a lookup can lead to. */
type Reached = Exclude<SubmissionState, "queued">;

/** Says which time limits have passed for a submission that no node shows. */
export type Unseen = {
	/** True: ask elsewhere: the wallet provider, or among what the owner's wallet sent. */
	isAskedFor: boolean;
	/** True: it counts as lost by time alone: see `lostAs`. */
	isLost: boolean;
	/** True: nothing may send it any more, so that no node knows it is a proof. */
	isRunOut: boolean;
};

/**
 * Says who signed: the wallet provider, with a nonce of ours, or an owner's wallet, with its own.
 */
type Signer = "ours" | "owners";

const OPEN: Readonly<Record<Fact, Reached>> = {
	waits: "sent",
	told: "sent",
	mined: "mined",
	reverted: "reverted",
	claimed: "reverted",
	dropped: "dropped",
	refused: "refused",
	unknown: "doubtful",
	never: "never",
};

/** Keeps `never` where one source claims a revert, or no node knows it. */
const DENIED = { ...OPEN, claimed: "never", unknown: "never" } as const;

/**
 * Every transition that a look makes. What is proved never to be mined is left only by the
 * transaction itself in a block of the chain: that it waits somewhere, that its nonce cannot be
 * explained, or that one source calls it reverted proves nothing against that. A wallet provider
 * that names a hash of what it denied takes its own word back.
 */
export const transitions: Readonly<Record<LookedAtState, Readonly<Record<Fact, Reached>>>> = {
	sending: OPEN,
	sent: OPEN,
	doubtful: OPEN,
	dropped: OPEN,
	refused: OPEN,
	mined: OPEN,
	reverted: OPEN,
	denied: DENIED,
	never: { ...DENIED, waits: "never", told: "never", dropped: "never", refused: "never" },
};

/**
 * Lists the time limits of lookups, counted from when a node last showed the transaction, else from
 * when it was sent. An owner's wallet can send again at any time, so its transactions are waited
 * for longer, and are lost only where their nonce is free.
 */
export const unseenTimes = {
	ours: { askAfterMs: ASK_AGAIN_AFTER_MS, loseAfterMs: UNSEEN_DROPPED_MS, lostAs: "dropped" },
	owners: { askAfterMs: ASK_AGAIN_AFTER_MS, loseAfterMs: SIGNED_UNSEEN_MS, lostAs: "never" },
} as const satisfies Record<Signer, { askAfterMs: number; loseAfterMs: number; lostAs: Fact }>;

/** Judges by the times of who signed it for how long no node has shown a submission. */
export function unseenOf(submission: Submission, nowMs: number): Unseen {
	const { nonce, seenAtMs, sentAtMs, createdAtMs, validUntilMs } = submission;
	const times = unseenTimes[nonce === null ? "owners" : "ours"];
	const unseenMs = nowMs - (seenAtMs ?? sentAtMs ?? createdAtMs);
	return {
		isAskedFor: unseenMs >= times.askAfterMs,
		isLost: unseenMs > times.loseAfterMs,
		isRunOut: nowMs > (validUntilMs ?? 0) + PROOF_GRACE_MS,
	};
}

/** Returns the state of a submission for a lookup; null before it was handed over. */
export function stateOf({
	state,
	transactionHash,
}: Pick<Submission, "state" | "transactionHash">): LookedAtState | null {
	if (state === "queued") return null;
	return state === "never" && transactionHash === null ? "denied" : state;
}

/** Reads from a finding what decides the state. */
export function factOf(finding: Finding): Fact {
	if (finding.kind !== "seen") return finding.kind;
	const { receipt } = finding.sighting;
	if (receipt === null) return "waits";
	if (receipt.succeeded) return "mined";
	return finding.isAgreed ? "reverted" : "claimed";
}
