import { cancelIntent } from "#plugins/wallets/cancel/cancelIntent.ts";
import type { Intent, Profile } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Links } from "#plugins/wallets/link/createLinks.ts";
import { linkToCancel } from "#plugins/wallets/link/linkToCancel.ts";

/**
 * Cancels an intent for its owner. Where only their own wallet can, nothing is done yet: they get a
 * link by which it signs the cancellation.
 */
export async function cancelForOwner(
	deps: ExecutionDeps,
	links: Pick<Links, "makeCancel">,
	{ intentId, profile, signal }: { intentId: string; profile: Profile; signal: AbortSignal },
): Promise<{ intent: Intent; cancelUrl: string | null }> {
	const link = await linkToCancel(deps, links, { intentId, profile, signal });
	if (!link) {
		const by = { actor: `profile:${profile.id}`, signal };
		return { intent: await cancelIntent(deps, { intentId, ...by }), cancelUrl: null };
	}
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	return { intent, cancelUrl: link.url };
}
