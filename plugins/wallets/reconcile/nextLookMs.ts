import { MINUTE_MS } from "#core/time/units.ts";
import { LOOKS_APART_MAX_MS } from "#plugins/wallets/reconcile/limits.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** How long to wait before the next look at a submission, by what is known and for how long. */
export function nextLookMs(submission: Submission, nowMs: number): number {
	const ageMs = nowMs - (submission.sentAtMs ?? submission.createdAtMs);
	switch (submission.state) {
		case "sending":
		case "sent":
		case "doubtful":
		case "dropped":
		case "refused":
			return ageMs < 2 * MINUTE_MS ? 1_000 : Math.min(ageMs / 10, 5 * MINUTE_MS);
		case "mined":
		case "reverted":
			// Only a reorg changes anything now.
			return Math.min(Math.max(ageMs / 4, 2_000), MINUTE_MS);
		default:
			return Math.min(Math.max(ageMs / 4, 10_000), LOOKS_APART_MAX_MS);
	}
}
