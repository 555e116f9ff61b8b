import { invalidBody } from "#plugins/nft-buys/faults.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

/**
 * Returns the wallet that pays: the named one, else the profile's canonical one. Null where the
 * profile has none: its request is stored all the same, and rejected.
 */
export function payingWallet(profile: Profile, walletId: string | undefined): Wallet | null {
	if (walletId !== undefined) {
		const named = profile.wallets.find(({ id }) => id === walletId.toLowerCase());
		if (!named) throw invalidBody("walletId", "you have no such wallet");
		return named;
	}
	const wallet = profile.wallets.find(({ id }) => id === profile.canonicalWalletId);
	return wallet ?? profile.wallets[0] ?? null;
}
