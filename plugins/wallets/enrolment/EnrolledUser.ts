import type { Address } from "#core/chain/Hex.ts";
import type { WalletCapability } from "#plugins/wallets/contract.ts";

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
