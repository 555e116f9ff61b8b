import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { eachAtOnce } from "#plugins/wallets/reconcile/eachAtOnce.ts";
import { type LooksAsked, lookAtMany } from "#plugins/wallets/reconcile/lookAtMany.ts";
import { postponeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import { reconcileSubmission } from "#plugins/wallets/reconcile/reconcileSubmission.ts";

/**
 * Looks at submissions, many at a time, and at each by itself that needs more. What this process is
 * looking at already is left to that look: two would ask the same, and wait for each other's rows.
 */
export async function lookAtDue(
	world: ExecutionWorld,
	{ due, signal, postpones = true }: LooksAsked,
): Promise<void> {
	const own = due.filter(({ id }) => !world.looks.underWay.has(id));
	for (const { id } of own) world.looks.underWay.add(id);
	try {
		const alone = await lookAtMany(world, { due: own, signal, postpones });
		await eachAtOnce(world, { items: alone, signal }, async (submission) => {
			await postponeLooks(world, [submission]);
			await reconcileSubmission(world, { submission, signal });
		});
	} finally {
		for (const { id } of own) world.looks.underWay.delete(id);
	}
}
