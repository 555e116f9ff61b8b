import type { Job } from "#core/schedule/Job.ts";
import type { Execution } from "#plugins/wallets/contract.ts";
import { continueQueued } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { eachAtOnce } from "#plugins/wallets/reconcile/eachAtOnce.ts";
import {
	QUEUE_IDLE_AFTER_MS,
	RECONCILE_EVERY_MS,
	RECONCILE_TIMEOUT_MS,
	STRANDED_AFTER_MS,
} from "#plugins/wallets/reconcile/limits.ts";
import { lookAtDue } from "#plugins/wallets/reconcile/lookAtDue.ts";
import { postponeQueue } from "#plugins/wallets/reconcile/postponeQueue.ts";
import { readOpen } from "#plugins/wallets/reconcile/readOpen.ts";
import { readQueues } from "#plugins/wallets/reconcile/readQueues.ts";
import { readStranded } from "#plugins/wallets/reconcile/readStranded.ts";

/** What takes intents further when nobody waits for them any more. */
export function reconcileJobs(deps: ExecutionDeps, execution: Execution): Job[] {
	const job = (name: string, run: (signal: AbortSignal) => Promise<void>): Job => ({
		name: `wallets.${name}`,
		schedule: { everyMs: RECONCILE_EVERY_MS },
		lock: "cluster",
		timeoutMs: RECONCILE_TIMEOUT_MS,
		run: ({ signal }) => run(signal),
	});
	return [
		job("reconcile", (signal) => reconcileOpen(deps, signal)),
		job("take-up", (signal) => takeUp(deps, execution, signal)),
	];
}

async function reconcileOpen(deps: ExecutionDeps, signal: AbortSignal): Promise<void> {
	const nowMs = deps.clock.nowMs();
	const { sendTimeoutMs } = deps.settings;
	// It puts off what cannot be read.
	const due = await deps.steps.run("commit.look", () =>
		readOpen(deps.db, { sendTimeoutMs, at: new Date(nowMs) }),
	);
	await lookAtDue(deps, { due, signal });
}

/** Intents whose process went away before they were sent, and those whose time is over. */
async function takeUp(
	deps: ExecutionDeps,
	execution: Execution,
	signal: AbortSignal,
): Promise<void> {
	const at = new Date(deps.clock.nowMs());
	const before = new Date(at.getTime() - STRANDED_AFTER_MS);
	const idle = { before: new Date(at.getTime() - QUEUE_IDLE_AFTER_MS), at };
	const queues = await readQueues(deps.db, idle);
	const { expired, created } = await readStranded(deps.db, { at, before });
	// Side by side: what a node keeps waiting must not keep the rest from its time.
	await Promise.all([
		eachAtOnce(deps, { items: queues, signal }, async (queue) => {
			await postponeQueue(deps, queue);
			await continueQueued(deps, { ...queue, signal });
		}),
		// By itself: of a batch that was confirmed in part nothing goes on, and nothing stays open.
		eachAtOnce(deps, { items: expired, signal }, (intentId) => expire(deps, { intentId, at })),
		eachAtOnce(deps, { items: created, signal }, (id) => execution.advance([id], signal)),
	]);
}

async function expire(
	deps: ExecutionDeps,
	{ intentId, at }: { intentId: string; at: Date },
): Promise<void> {
	await deps.steps.run("commit.close", () =>
		deps.db.transaction((tx) => moveIntent(tx, { intentId, event: "expire", at })),
	);
}
