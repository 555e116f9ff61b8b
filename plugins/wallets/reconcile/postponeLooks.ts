import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { nextLookMs } from "#plugins/wallets/reconcile/nextLookMs.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Says when submissions are looked at again, before they are looked at: one whose look fails, or
 * whose chain is away, must not stand in front of all others in every turn.
 */
export async function postponeLooks(
	deps: ExecutionDeps,
	submissions: readonly Submission[],
	waitMsMax = Number.POSITIVE_INFINITY,
): Promise<void> {
	if (submissions.length === 0) return;
	const nowMs = deps.clock.nowMs();
	const waitOf = (one: Submission) => Math.min(nextLookMs(one, nowMs), waitMsMax);
	const times = submissions.map((one) => new Date(nowMs + waitOf(one)));
	await deps.steps.run("commit.look", () =>
		deps.db.execute(
			`update wallets.submission s set look_at = due.look_at
			from unnest($1::uuid[], $2::timestamptz[]) as due (id, look_at) where s.id = due.id`,
			[submissions.map(({ id }) => id), times],
		),
	);
}
