import { cancelIntent } from "#plugins/wallets/cancel/cancelIntent.ts";
import { planCancellation } from "#plugins/wallets/cancel/planCancellation.ts";
import type { Intent, Profile } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Links, MadeLink } from "#plugins/wallets/link/createLinks.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";

type Asked = {
	intentId: string;
	/** Its owner, with the wallets that they have now. */
	profile: Profile;
	signal: AbortSignal;
};

/**
 * Cancels an intent for its owner. Where only their own wallet can, nothing is done yet: they get a
 * link by which it signs the cancellation.
 */
export async function cancelForOwner(
	deps: ExecutionDeps,
	links: Pick<Links, "makeCancel">,
	{ intentId, profile, signal }: Asked,
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

/**
 * Makes a link by which its owner cancels a payment with their own wallet. Null where nothing was
 * sent, and where the service sends for the wallet: it cancels by itself then.
 *
 * A wallet that the service sent for, and may not send for any more, has no other way either.
 */
export async function linkToCancel(
	deps: ExecutionDeps,
	links: Pick<Links, "makeCancel">,
	{ intentId, profile, signal }: Asked,
): Promise<MadeLink | null> {
	const payment = await readPayment(deps.db, intentId);
	if (!payment || payment.state === "queued" || payment.state === "sending") return null;
	const wallet = profile.wallets.find(({ id }) => id === payment.walletId);
	const isOurs = payment.nonce !== null && wallet?.capability === "embedded/delegated";
	if (isOurs) return null;
	return await links.makeCancel(await planCancellation(deps, { payment, signal }));
}
