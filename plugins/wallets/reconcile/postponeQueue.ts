import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { QUEUE_AGAIN_AFTER_MS } from "#plugins/wallets/reconcile/limits.ts";
import type { WaitingQueue } from "#plugins/wallets/reconcile/readQueues.ts";

/**
 * Says when a nonce queue is taken up again, before it is taken up: one that has to wait, or whose
 * node fails, must not stand in front of all others in every turn.
 */
export async function postponeQueue(
	deps: ExecutionDeps,
	{ walletId, chainId }: WaitingQueue,
): Promise<void> {
	const until = new Date(deps.clock.nowMs() + QUEUE_AGAIN_AFTER_MS);
	await deps.steps.run("commit.look", () =>
		deps.db.execute(
			`update wallets.submission set look_at = $3
			where wallet_id = $1 and chain_id = $2 and state = 'queued'`,
			[walletId, chainId, until],
		),
	);
}
