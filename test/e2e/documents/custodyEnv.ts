import type { CustodyEmulator } from "#test/sandbox/custody/startCustodyEmulator.ts";

/** Returns the environment that a service needs so that every trading route is mounted. */
export function custodyEnv(custody: CustodyEmulator): Record<string, string> {
	return {
		WALLET_PROVIDER_BASE_URL: custody.url,
		WALLET_PROVIDER_APP_ID: custody.appId,
		WALLET_PROVIDER_APP_SECRET: custody.appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
		WALLET_PROVIDER_WEBHOOK_SECRET: custody.webhookSecret,
		TRADING_HOME_CHAIN: "anvil",
		ADMIN_API_KEY: "an-operators-key-of-these-tests",
	};
}
