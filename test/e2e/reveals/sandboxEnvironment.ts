import type { Sandbox } from "../../sandbox/startSandbox.ts";

/** Returns the environment that a service needs to trade in a sandbox, as `up` sets it. */
export function sandboxEnvironment(sandbox: Sandbox): Record<string, string> {
	const { home, walletProvider } = sandbox;
	return {
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({
			[sandbox.chainId]: [sandbox.httpUrl, sandbox.wsUrl],
			[home.chainId]: [home.httpUrl, home.wsUrl],
		}),
		NFT_SCAN_FROM_BLOCK: String(sandbox.firstBlock),
		USD_FEEDS_JSON: JSON.stringify(sandbox.usdFeeds),
		PROVIDER_BASE_URL: sandbox.providerUrl,
		PROVIDER_API_KEY: "sandbox",
		PROVIDER_STREAM_URL: sandbox.providerStreamUrl,
		PROVIDER_STREAM_ENABLED: "true",
		WALLET_PROVIDER_BASE_URL: sandbox.walletProviderUrl,
		WALLET_PROVIDER_APP_ID: walletProvider.appId,
		WALLET_PROVIDER_APP_SECRET: walletProvider.appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: walletProvider.authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: walletProvider.verificationKey,
		TRADING_DRY_RUN: "false",
	};
}

export type Ada = {
	wallet: string;
	/** Sends a request with her session. */
	ask(path: string, body?: unknown): Promise<{ status: number; body: any }>;
};

/**
 * Signs ada in, from whose wallet the service may send; `url` returns where the service is by then.
 */
export async function signInAda(sandbox: Sandbox, url: () => string): Promise<Ada> {
	const told = await fetch(`${sandbox.walletProviderUrl}/_sandbox/token`, {
		method: "POST",
		body: JSON.stringify({ userId: "ada" }),
	});
	let { token } = (await told.json()) as { token: string };
	const ask: Ada["ask"] = async (path, body) => {
		const response = await fetch(`${url()}${path}`, {
			method: body === undefined ? "GET" : "POST",
			headers: {
				authorization: `Bearer ${token}`,
				...(body !== undefined && { "content-type": "application/json" }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		return { status: response.status, body: await response.json() };
	};
	const { body } = await ask("/v1/trading/enrollment", {});
	({ token } = body);
	return { wallet: body.profile.wallets[0].address, ask };
}
