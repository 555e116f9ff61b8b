import { buyFault, invalidBody } from "#plugins/nft-buys/faults.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

/** The wallet that pays: the one that was named, else the profile's canonical one. */
export function payingWallet(profile: Profile, walletId: string | undefined): Wallet {
	if (walletId !== undefined) {
		const named = profile.wallets.find(({ id }) => id === walletId.toLowerCase());
		if (!named) throw invalidBody("walletId", "you have no such wallet");
		return named;
	}
	const wallet = profile.wallets.find(({ id }) => id === profile.canonicalWalletId);
	const found = wallet ?? profile.wallets[0];
	if (!found) throw buyFault.noExecutableWallet();
	return found;
}
