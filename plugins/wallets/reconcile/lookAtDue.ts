import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
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
export async function lookAtDue(deps: ExecutionDeps, asked: LooksAsked): Promise<void> {
	const { underWay } = deps.looks;
	// Whatever is put off from now on, and fails, is looked at again with what failed first.
	const atMs = deps.clock.nowMs();
	const due = asked.due.filter(({ id }) => !underWay.has(id));
	for (const { id } of due) underWay.add(id);
	try {
		const { alone, answered } = await lookAtMany(deps, { ...asked, due });
		for (const [chainId, ones] of Map.groupBy(answered, (one) => one.chainId)) {
			await resume(deps, { chainId, answered: ones });
		}
		await lookAtEach(deps, { submissions: alone, atMs, signal: asked.signal });
	} finally {
		for (const { id } of due) underWay.delete(id);
	}
}

async function lookAtEach(
	deps: ExecutionDeps,
	given: { submissions: readonly Submission[]; atMs: number; signal: AbortSignal },
): Promise<void> {
	const { submissions, atMs, signal } = given;
	const probes = new Map<number, number>();
	await eachAtOnce(deps, { items: submissions, signal }, async (submission) => {
		const { chainId, id } = submission;
		await postponeLooks(deps, [submission]);
		try {
			await reconcileSubmission(deps, { submission, signal });
		} catch (error) {
			const isOfChain = deps.looks.troubles.note(error, { chainId, id, atMs });
			const before = probes.get(chainId) ?? 0;
			if (isOfChain && before < RECONCILES_AT_ONCE) {
				probes.set(chainId, before + 1);
				await postponeLooks(deps, [submission], PROBE_AFTER_MS);
			}
			throw error;
		}
		await resume(deps, { chainId, answered: [submission] });
	});
}

async function resume(
	deps: ExecutionDeps,
	{ chainId, answered }: { chainId: number; answered: readonly Submission[] },
): Promise<void> {
	const ids = answered.map(({ id }) => id);
	const sinceMs = deps.looks.troubles.endedBy(chainId, ids);
	if (sinceMs !== null) await wakeLooks(deps, { chainId, sinceMs });
}
