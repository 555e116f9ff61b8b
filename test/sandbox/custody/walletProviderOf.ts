import type { CustodyEmulator } from "./startCustodyEmulator.ts";

/** The credentials of the wallet provider's application. They are valid in this sandbox only. */
export type WalletProviderAccess = {
	appId: string;
	appSecret: string;
	authorizationKey: string;
	verificationKey: string;
	webhookSecret: string;
};

/** Returns the ready line's members about the wallet provider. */
export function walletProviderOf(custody: CustodyEmulator): {
	walletProviderUrl: string;
	walletProvider: WalletProviderAccess;
} {
	const { url, appId, appSecret, authorizationKey, verificationKey, webhookSecret } = custody;
	const keys = { authorizationKey, verificationKey, webhookSecret };
	const walletProvider = { appId, appSecret, ...keys };
	return { walletProviderUrl: url, walletProvider };
}
