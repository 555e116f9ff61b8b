import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";

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
