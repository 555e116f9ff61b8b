import { Fault } from "#core/fault/Fault.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { Execution } from "#plugins/wallets/contract.ts";
import { continueQueued } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import {
	QUEUE_IDLE_AFTER_MS,
	RECONCILE_EVERY_MS,
	RECONCILE_TIMEOUT_MS,
	RECONCILES_AT_ONCE,
	STRANDED_AFTER_MS,
} from "#plugins/wallets/reconcile/limits.ts";
import { lookAtMany } from "#plugins/wallets/reconcile/lookAtMany.ts";
import { postponeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import { readOpen } from "#plugins/wallets/reconcile/readOpen.ts";
import { readQueues } from "#plugins/wallets/reconcile/readQueues.ts";
import { readStranded } from "#plugins/wallets/reconcile/readStranded.ts";
import { reconcileSubmission } from "#plugins/wallets/reconcile/reconcileSubmission.ts";

/** What takes intents further when nobody waits for them any more. */
export function reconcileJobs(world: ExecutionWorld, execution: Execution): Job[] {
	const job = (name: string, run: (signal: AbortSignal) => Promise<void>): Job => ({
		name: `wallets.${name}`,
		schedule: { everyMs: RECONCILE_EVERY_MS },
		lock: "cluster",
		timeoutMs: RECONCILE_TIMEOUT_MS,
		run: ({ signal }) => run(signal),
	});
	return [
		job("reconcile", (signal) => reconcileOpen(world, signal)),
		job("take-up", (signal) => takeUp(world, execution, signal)),
	];
}

async function reconcileOpen(world: ExecutionWorld, signal: AbortSignal): Promise<void> {
	const nowMs = world.clock.nowMs();
	const { sendTimeoutMs } = world.settings;
	// It puts off what cannot be read.
	const due = await world.steps.run("commit.look", () =>
		readOpen(world.db, { sendTimeoutMs, at: new Date(nowMs) }),
	);
	const alone = await lookAtMany(world, { due, signal });
	await each(world, { items: alone, signal }, async (submission) => {
		await postponeLooks(world, [submission]);
		await reconcileSubmission(world, { submission, signal });
	});
}

/** Intents whose process went away before they were sent, and those whose time is over. */
async function takeUp(
	world: ExecutionWorld,
	execution: Execution,
	signal: AbortSignal,
): Promise<void> {
	const at = new Date(world.clock.nowMs());
	const before = new Date(at.getTime() - STRANDED_AFTER_MS);
	const idle = { before: new Date(at.getTime() - QUEUE_IDLE_AFTER_MS), at };
	await each(world, { items: await readQueues(world.db, idle), signal }, (queue) => {
		return continueQueued(world, { ...queue, signal });
	});
	const { expired, created } = await readStranded(world.db, { at, before });
	// By itself: of a batch that was confirmed in part nothing goes on, and nothing stays open.
	await each(world, { items: expired, signal }, (intentId) => expire(world, { intentId, at }));
	await each(world, { items: created, signal }, (id) => execution.advance([id], signal));
}

async function expire(
	world: ExecutionWorld,
	{ intentId, at }: { intentId: string; at: Date },
): Promise<void> {
	await world.steps.run("commit.close", () =>
		world.db.transaction((tx) => moveIntent(tx, { intentId, event: "expire", at })),
	);
}

/** One that fails is logged and looked at again; the others go on, until the job's time is over. */
async function each<Item>(
	world: ExecutionWorld,
	{ items, signal }: { items: readonly Item[]; signal: AbortSignal },
	act: (item: Item) => Promise<unknown>,
): Promise<void> {
	const rest = [...items];
	const work = async () => {
		for (let item = rest.shift(); item !== undefined && !signal.aborted; item = rest.shift()) {
			try {
				await act(item);
			} catch (error) {
				const level = error instanceof Fault ? "warn" : "error";
				world.log[level]("an intent could not be taken further now", { error });
			}
		}
	};
	await Promise.all(Array.from({ length: RECONCILES_AT_ONCE }, work));
}
