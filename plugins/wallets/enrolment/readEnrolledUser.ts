import type { Address } from "#core/chain/Hex.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import type { WalletCapability } from "#plugins/wallets/contract.ts";
import { capabilityOf } from "#plugins/wallets/enrolment/capabilityOf.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import {
	ENROLMENT_CALLS_AT_ONCE_MAX,
	ENROLMENT_TIMEOUT_MS,
	WALLETS_PER_PROFILE_MAX,
} from "#plugins/wallets/limits.ts";

/** What the wallet provider says of somebody, in our words. */
export type EnrolledUser = {
	/** The wallet provider's name for them. */
	id: string;
	social: { userId: string; username: string | null } | null;
	wallets: readonly EnrolledWallet[];
};

export type EnrolledWallet = {
	address: Address;
	providerWalletId: string | null;
	capability: WalletCapability;
};

/**
 * Asks the wallet provider who a user is now: an access token says only their id, and what it said
 * of accounts would be as old as the token.
 */
export async function readEnrolledUser(custody: Custody, userId: string): Promise<EnrolledUser> {
	const signal = AbortSignal.timeout(ENROLMENT_TIMEOUT_MS);
	const user = await custody.user(userId, signal);
	if (!user || user.id !== userId) throw httpFault.unauthorized();
	const [social = null, another] = user.accounts.filter((account) => account.type === "social");
	if (another) throw walletsFault.socialAmbiguous();
	const linked = user.accounts.filter((account) => account.type === "wallet");
	if (linked.length > WALLETS_PER_PROFILE_MAX) throw walletsFault.walletsTooMany();
	const wallets: EnrolledWallet[] = [];
	for (let from = 0; from < linked.length; from += ENROLMENT_CALLS_AT_ONCE_MAX) {
		const part = linked.slice(from, from + ENROLMENT_CALLS_AT_ONCE_MAX);
		const read = part.map(async (account) => {
			const { address, providerWalletId } = account;
			const held =
				providerWalletId === null ? null : await custody.wallet(providerWalletId, signal);
			return { address, providerWalletId, capability: capabilityOf(account, held) };
		});
		wallets.push(...(await Promise.all(read)));
	}
	return {
		id: userId,
		social: social && { userId: social.subject, username: social.username },
		wallets: onceEach(wallets),
	};
}

/** Takes an account that is linked twice, as embedded and as external, as the embedded one. */
function onceEach(wallets: readonly EnrolledWallet[]): EnrolledWallet[] {
	const byAddress = new Map<string, EnrolledWallet>();
	for (const wallet of wallets) {
		const known = byAddress.get(wallet.address);
		if (!known || known.providerWalletId === null) byAddress.set(wallet.address, wallet);
	}
	return [...byAddress.values()];
}
