import { planCancellation } from "#plugins/wallets/cancel/planCancellation.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Links, MadeLink } from "#plugins/wallets/link/createLinks.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";

type Asked = {
	intentId: string;
	/** Its owner, with the wallets that they have now. */
	profile: Pick<Profile, "wallets">;
	signal: AbortSignal;
};

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
