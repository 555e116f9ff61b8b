import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { nextLookMs } from "#plugins/wallets/reconcile/nextLookMs.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Says when a submission is looked at again, before it is looked at: one whose look fails, or whose
 * chain is away, must not stand in front of all others in every turn.
 */
export async function postponeLook(world: ExecutionWorld, submission: Submission): Promise<void> {
	const nowMs = world.clock.nowMs();
	const lookAt = new Date(nowMs + nextLookMs(submission, nowMs));
	await world.steps.run("commit.look", () =>
		world.db.execute("update wallets.submission set look_at = $2 where id = $1", [
			submission.id,
			lookAt,
		]),
	);
}
