import { encodeDeployData, encodeFunctionData, type Hex, zeroAddress } from "viem";
import type { Clock } from "#core/clock/Clock.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import {
	type BridgeEmulator,
	startBridgeEmulator,
} from "#test/sandbox/bridge/startBridgeEmulator.ts";
import { compileContracts } from "#test/sandbox/compileContracts.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";
import { feedAbi } from "#test/sandbox/feeds/feedAbi.ts";

export const USDG = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
export const BRIDGE_ADMIN_KEY = "a-key-of-operators-that-is-long-enough";
/** A second token on 4663 with the symbol USDG, and one that shares its symbol with another. */
const TWIN = "0x00000000000000000000000000000000000d0001";
const ONLY = "0x00000000000000000000000000000000000d0002";
/** A token on 4663 whose owner may sign for it (EIP-3009). */
export const SIGNED_DOLLAR = "0x00000000000000000000000000000000000d0003";
const ETH_USD = 2_000n;
const MICRO = 1_000_000n;

export type BridgeWorldParts = {
	market: Anvil;
	home: Anvil;
	custody: CustodyEmulator;
	bridge: BridgeEmulator;
	/** The environment of a service that bridges between both chains. */
	env: Record<string, string>;
	stop(): Promise<void>;
};

/**
 * Opens two chains, a wallet provider for both, and a bridge that really pays on both. Provider and
 * bridge go by the clock, where one is given.
 */
export async function openBridgeWorld({
	clock,
}: {
	clock?: Clock;
} = {}): Promise<BridgeWorldParts> {
	const timed = clock === undefined ? {} : { clock };
	const [market, home] = await Promise.all([
		startAnvil(),
		startAnvil({ args: ["--chain-id", "4663"] }),
	]);
	for (const token of [USDG, TWIN, ONLY, SIGNED_DOLLAR]) {
		await home.rpc("anvil_setCode", [token, compileContracts().SandboxDollar.runtime]);
	}
	const custody = await startCustodyEmulator({
		...{ rpcUrl: home.url, moreRpcUrls: [market.url], ...timed },
	});
	const bridge = await openBridge(market, home, timed);
	const feeds = {
		31337: { [zeroAddress]: { feed: await deployFeed(market, ETH_USD) } },
		4663: {
			[zeroAddress]: { feed: await deployFeed(home, ETH_USD) },
			[USDG]: { feed: await deployFeed(home, 1n), symbol: "USDG" },
		},
	};
	const env = {
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({
			...{ anvil: [market.url, market.wsUrl], robinhood: [home.url, home.wsUrl] },
		}),
		USD_FEEDS_JSON: JSON.stringify(feeds),
		WALLET_PROVIDER_BASE_URL: custody.url,
		WALLET_PROVIDER_APP_ID: custody.appId,
		WALLET_PROVIDER_APP_SECRET: custody.appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
		...{ TRADING_DRY_RUN: "false", TRADING_RECIPIENT_COOLDOWN_MINUTES: "0" },
		...{ ENABLE_BRIDGING: "true", BRIDGE_DRY_RUN: "false", BRIDGE_DENIED_CHAIN_IDS: "42161" },
		...{ BRIDGE_BASE_URL: bridge.url, BRIDGE_API_KEY: bridge.apiKey },
		ADMIN_API_KEY: BRIDGE_ADMIN_KEY,
	};
	return {
		...{ market, home, custody, bridge, env },
		async stop() {
			await bridge.stop();
			await custody.stop();
			await Promise.all([market.stop(), home.stop()]);
		},
	};
}

function openBridge(market: Anvil, home: Anvil, timed: { clock?: Clock }): Promise<BridgeEmulator> {
	const coin = {
		...({ address: zeroAddress, symbol: "ETH", name: "Ether", decimals: 18 } as const),
		usdMicros: ETH_USD * MICRO,
	};
	const dollar = (address: Hex, symbol: string) => {
		return { address, symbol, name: "Global Dollar", decimals: 6, usdMicros: MICRO };
	};
	const listed = { rpcUrl: market.url, currencies: [coin], isListedOnly: true };
	return startBridgeEmulator({
		...{ pollMs: 20, ...timed },
		chains: [
			{ id: 31_337, rpcUrl: market.url, name: "anvil", currencies: [coin] },
			{
				...{ id: 4_663, rpcUrl: home.url, name: "robinhood" },
				currencies: [
					...[coin, dollar(USDG, "USDG"), { ...dollar(TWIN, "USDG"), isVerified: false }],
					...[dollar(ONLY, "TWICE"), dollar(TWIN, "TWICE")],
					{ ...dollar(SIGNED_DOLLAR, "PUSD"), supportsPermit: true },
				],
			},
			{ ...listed, id: 8_453, name: "base", isLagging: true },
			{ ...listed, id: 10, name: "optimism", isDisabled: true },
			{ ...listed, id: 42_161, name: "arbitrum" },
			{ ...listed, id: 792_703_809, name: "solana", vmType: "svm" },
		],
	});
}

/** Deploys a feed with this price in dollars; returns its address. */
async function deployFeed(chain: Anvil, dollars: bigint): Promise<string> {
	const [from] = await chain.rpc<string[]>("eth_accounts");
	const bytecode = compileContracts().SandboxFeed.creation;
	const send = async (call: object) => {
		const hash = await chain.rpc("eth_sendTransaction", [{ from, ...call }]);
		await chain.mined();
		return await chain.rpc<{ contractAddress: string }>("eth_getTransactionReceipt", [hash]);
	};
	const data = encodeDeployData({ abi: feedAbi, bytecode, args: ["dollars"] });
	const { contractAddress: to } = await send({ data });
	const args = [dollars * 10n ** 8n] as const;
	await send({ to, data: encodeFunctionData({ abi: feedAbi, functionName: "publish", args }) });
	return to;
}
