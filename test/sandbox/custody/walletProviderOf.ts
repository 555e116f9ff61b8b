import type { CustodyEmulator } from "./startCustodyEmulator.ts";

/** What makes a service the wallet provider's application. The keys are of this sandbox alone. */
export type WalletProviderAccess = {
	appId: string;
	appSecret: string;
	authorizationKey: string;
	verificationKey: string;
	webhookSecret: string;
};

/** The ready line's members about the wallet provider. */
export function walletProviderOf(custody: CustodyEmulator): {
	walletProviderUrl: string;
	walletProvider: WalletProviderAccess;
} {
	const { url, appId, appSecret, authorizationKey, verificationKey, webhookSecret } = custody;
	const keys = { authorizationKey, verificationKey, webhookSecret };
	const walletProvider = { appId, appSecret, ...keys };
	return { walletProviderUrl: url, walletProvider };
}
