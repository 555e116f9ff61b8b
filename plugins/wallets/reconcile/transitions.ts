import type { Finding } from "#plugins/wallets/reconcile/lookUp.ts";
import type { Submission, SubmissionState } from "#plugins/wallets/submission/Submission.ts";

/** States that a look can lead to. */
type Reached = Exclude<SubmissionState, "queued">;

/**
 * States in which a submission is looked at. `denied`: it is `never` by its wallet provider's word,
 * which is all there is where no hash was ever named.
 */
export type LookedAtState = Reached | "denied";

/**
 * What a look found, as far as it decides the state. `waits`: a node knows it, not in a block.
 * `claimed`: one source says that it was reverted, and no second one yet.
 */
export type Fact = "waits" | "mined" | "reverted" | "claimed" | Exclude<Finding["kind"], "seen">;

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

/** That one source calls it reverted, or nobody knows it, takes back no "it never left". */
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

/** Reads where a submission stands for a look; null before it was handed over. */
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
