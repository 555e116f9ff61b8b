import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/limits.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** Whether every honest node has come past the head at which a submission was planned. */
export function isPlannedLongAgo(
	{ sentAtMs, createdAtMs }: Pick<Submission, "sentAtMs" | "createdAtMs">,
	nowMs: number,
): boolean {
	return nowMs - (sentAtMs ?? createdAtMs) > UNSEEN_DROPPED_MS;
}
