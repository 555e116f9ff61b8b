import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { eachAtOnce } from "#plugins/wallets/reconcile/eachAtOnce.ts";
import { PROBE_AFTER_MS, RECONCILES_AT_ONCE } from "#plugins/wallets/reconcile/limits.ts";
import { type LooksAsked, lookAtMany } from "#plugins/wallets/reconcile/lookAtMany.ts";
import { postponeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import { reconcileSubmission } from "#plugins/wallets/reconcile/reconcileSubmission.ts";
import { wakeLooks } from "#plugins/wallets/reconcile/wakeLooks.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Looks at submissions, many at a time, and at each by itself that needs more. What this process is
 * looking at already is left to that look: two would ask the same, and wait for each other's rows.
 *
 * Where a chain cannot be read, a few of its submissions come again soon, whatever their age: once
 * one of them is answered, all that was put off meanwhile is looked at.
 */
export async function lookAtDue(world: ExecutionWorld, asked: LooksAsked): Promise<void> {
	const { underWay } = world.looks;
	const due = asked.due.filter(({ id }) => !underWay.has(id));
	for (const { id } of due) underWay.add(id);
	try {
		const { alone, readChains } = await lookAtMany(world, { ...asked, due });
		for (const chainId of readChains) await resume(world, chainId);
		await lookAtEach(world, alone, asked.signal);
	} finally {
		for (const { id } of due) underWay.delete(id);
	}
}

async function lookAtEach(
	world: ExecutionWorld,
	submissions: readonly Submission[],
	signal: AbortSignal,
): Promise<void> {
	const probes = new Map<number, number>();
	await eachAtOnce(world, { items: submissions, signal }, async (submission) => {
		const { chainId } = submission;
		await postponeLooks(world, [submission]);
		try {
			await reconcileSubmission(world, { submission, signal });
		} catch (error) {
			const isOfChain = world.looks.troubles.isOf(error, { chainId, atMs: world.clock.nowMs() });
			const before = probes.get(chainId) ?? 0;
			if (isOfChain && before < RECONCILES_AT_ONCE) {
				probes.set(chainId, before + 1);
				await postponeLooks(world, [submission], PROBE_AFTER_MS);
			}
			throw error;
		}
		await resume(world, chainId);
	});
}

async function resume(world: ExecutionWorld, chainId: number): Promise<void> {
	const sinceMs = world.looks.troubles.endedBy(chainId);
	if (sinceMs !== null) await wakeLooks(world, { chainId, sinceMs });
}
