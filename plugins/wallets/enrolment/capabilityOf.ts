import type { CustodyWallet, LinkedAccount } from "#plugins/custody/contract.ts";
import type { WalletCapability } from "#plugins/wallets/contract.ts";

type LinkedWallet = Extract<LinkedAccount, { type: "wallet" }>;

/**
 * Says what we may do with a wallet. The server submits only for what is proved to be delegated, so
 * everything in doubt is less.
 *
 * @param held what the provider says of the wallet itself; null where it knows of none.
 */
export function capabilityOf(account: LinkedWallet, held: CustodyWallet | null): WalletCapability {
	if (account.providerWalletId === null) return "external/manual";
	if (!held) return "embedded/manual";
	const isTheOne = held.id === account.providerWalletId && held.address === account.address;
	if (!isTheOne) return "review-required";
	if (held.isArchived) return "disabled";
	return held.isDelegated ? "embedded/delegated" : "embedded/manual";
}
