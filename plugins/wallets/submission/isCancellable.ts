import type { Submission, SubmissionState } from "#plugins/wallets/submission/Submission.ts";

/** Where a payment stands whose nonce can be taken from it. */
const CANCELLABLE: ReadonlySet<SubmissionState> = new Set([
	"sent",
	"doubtful",
	"dropped",
	"refused",
]);

/** Whether a payment was sent, or may have been, and nothing mined has settled it yet. */
export function isCancellable({
	state,
	finalAtMs,
}: Pick<Submission, "state" | "finalAtMs">): boolean {
	return finalAtMs === null && CANCELLABLE.has(state);
}
