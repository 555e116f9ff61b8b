import { MINUTE_MS } from "#core/time/units.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { LOOKS_APART_MAX_MS } from "#plugins/wallets/reconcile/limits.ts";
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

/**
 * Has what is open on a chain looked at in the next turn, and not when its wait is over: those that
 * were put off since a time, by looks that learned nothing; null: all.
 *
 * When one was put off follows from `nextLookMs`: it waits a tenth of its age. Scans
 * `submission_open`.
 */
export async function wakeLooks(
	deps: Pick<ExecutionDeps, "db" | "steps" | "clock">,
	{ chainId, sinceMs }: { chainId: number; sinceMs: number | null },
): Promise<void> {
	await deps.steps.run("commit.look", () =>
		deps.db.execute(
			`update wallets.submission set look_at = $2::timestamptz
			where chain_id = $1 and final_at is null and look_at > $2::timestamptz
				and state in ('sending', 'sent', 'doubtful', 'dropped', 'refused')
				and ($3::timestamptz is null or look_at >= $3::timestamptz
					+ least(($3::timestamptz - coalesce(sent_at, created_at)) / 10, interval '5 min'))`,
			[chainId, new Date(deps.clock.nowMs()), sinceMs === null ? null : new Date(sinceMs)],
		),
	);
}
