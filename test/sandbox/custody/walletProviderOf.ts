import type { CustodyEmulator } from "./startCustodyEmulator.ts";

/** What makes a service the wallet provider's application. The keys are of this sandbox alone. */
export type WalletProviderAccess = {
	appId: string;
	appSecret: string;
	authorizationKey: string;
	verificationKey: string;
};

/** The ready line's members about the wallet provider. */
export function walletProviderOf(custody: CustodyEmulator): {
	walletProviderUrl: string;
	walletProvider: WalletProviderAccess;
} {
	const { url, appId, appSecret, authorizationKey, verificationKey } = custody;
	const walletProvider = { appId, appSecret, authorizationKey, verificationKey };
	return { walletProviderUrl: url, walletProvider };
}
