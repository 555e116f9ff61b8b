import { encodeDeployData, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { dollarAbi } from "#test/sandbox/bridge/solverAccount.ts";
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
/** A second token on 4663 that calls itself USDG, and one that shares a symbol with it. */
const TWIN = "0x00000000000000000000000000000000000d0001";
const ONLY = "0x00000000000000000000000000000000000d0002";
const ETH_USD = 2_000n;
const MICRO = 1_000_000n;

export type BridgeAnswer = { status: number; body: any; text: string };
export type BridgeLab = Awaited<ReturnType<typeof openBridgeLab>>;

/** The whole service on two chains, with a wallet provider and a bridge that pays on both. */
export async function openBridgeLab(options: { env?: Record<string, string> } = {}) {
	const [market, home] = await Promise.all([
		startAnvil(),
		startAnvil({ args: ["--chain-id", "4663"] }),
	]);
	for (const token of [USDG, TWIN, ONLY]) {
		await home.rpc("anvil_setCode", [token, compileContracts().SandboxDollar.runtime]);
	}
	const custody = await startCustodyEmulator({ rpcUrl: home.url, moreRpcUrls: [market.url] });
	const bridge = await openBridge(market, home);
	const feeds = {
		31337: { [zeroAddress]: { feed: await deployFeed(market, ETH_USD) } },
		4663: {
			[zeroAddress]: { feed: await deployFeed(home, ETH_USD) },
			[USDG]: { feed: await deployFeed(home, 1n), symbol: "USDG" },
		},
	};
	const service = await startTestService({
		scanFrom: null,
		env: {
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
			...{ ENABLE_BRIDGING: "true", BRIDGE_DRY_RUN: "false", ADMIN_API_KEY: ADMIN_KEY },
			BRIDGE_DENIED_CHAIN_IDS: "42161",
			...{ BRIDGE_BASE_URL: bridge.url, BRIDGE_API_KEY: bridge.apiKey },
			...options.env,
		},
	});
	const lab = { market, home, custody, bridge, service };
	return { ...lab, ...asking(lab), stop: () => stop(lab) };
}

/** At least as long as the service asks for. */
const ADMIN_KEY = "a-key-of-operators-that-is-long-enough";

type Parts = {
	market: Anvil;
	home: Anvil;
	custody: CustodyEmulator;
	bridge: BridgeEmulator;
	service: TestService;
};

async function stop({ market, home, custody, bridge, service }: Parts): Promise<void> {
	await service.stop();
	await service.database.drop();
	await bridge.stop();
	await custody.stop();
	await Promise.all([market.stop(), home.stop()]);
}

function openBridge(market: Anvil, home: Anvil): Promise<BridgeEmulator> {
	const coin = {
		...({ address: zeroAddress, symbol: "ETH", name: "Ether", decimals: 18 } as const),
		usdMicros: ETH_USD * MICRO,
	};
	const dollar = (address: Hex, symbol: string) => {
		return { address, symbol, name: "Global Dollar", decimals: 6, usdMicros: MICRO };
	};
	const listed = { rpcUrl: market.url, currencies: [coin], isListedOnly: true };
	return startBridgeEmulator({
		pollMs: 10,
		chains: [
			{ id: 31_337, rpcUrl: market.url, name: "anvil", currencies: [coin] },
			{
				...{ id: 4_663, rpcUrl: home.url, name: "robinhood" },
				currencies: [
					...[coin, dollar(USDG, "USDG"), { ...dollar(TWIN, "USDG"), isVerified: false }],
					...[dollar(ONLY, "TWICE"), dollar(TWIN, "TWICE")],
				],
			},
			{ ...listed, id: 8_453, name: "base", isLagging: true },
			{ ...listed, id: 10, name: "optimism", isDisabled: true },
			{ ...listed, id: 42_161, name: "arbitrum" },
			{ ...listed, id: 792_703_809, name: "solana", vmType: "svm" },
		],
	});
}

/** A feed that says so many dollars. */
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

function asking({ custody, service, home, market }: Parts) {
	let asked = 0;
	async function ask(
		path: string,
		body?: unknown,
		more: { as?: string | null; method?: string; key?: string; admin?: boolean } = {},
	): Promise<BridgeAnswer> {
		asked++;
		const { as = "ada", key, admin = false } = more;
		const token = as === null ? null : custody.token({ userId: custody.person(as).id });
		const response = await fetch(`${service.url}${path}`, {
			method: more.method ?? (body === undefined ? "GET" : "POST"),
			headers: {
				...(token !== null && { authorization: `Bearer ${token}` }),
				...(admin && { "x-api-key": ADMIN_KEY, "x-admin-actor": "olga" }),
				...(key !== undefined && { "idempotency-key": key }),
				"x-forwarded-for": `10.9.${asked >> 8}.${asked & 255}`,
				...(body !== undefined && { "content-type": "application/json" }),
			},
			...(body !== undefined && {
				body: typeof body === "string" ? body : JSON.stringify(body),
			}),
		});
		const text = await response.text();
		return { status: response.status, text, body: text === "" ? null : JSON.parse(text) };
	}
	return {
		ask,
		/** Enrols a person of the wallet provider's, and answers their wallet. */
		async enrol(as = "ada") {
			const { body } = await ask("/v1/trading/enrollment", {}, { as });
			return body.profile.wallets[0] as { id: string; address: Hex };
		},
		/** Waits until a bridge of theirs is in one of these statuses, and answers it. */
		async reached(id: string, wanted: readonly string[], as = "ada") {
			let found: any = null;
			await until(
				async () => {
					found = (await ask(`/v1/bridges/intents/${id}`, undefined, { as })).body;
					return wanted.includes(found.status);
				},
				`the bridge is ${wanted.join(" or ")}`,
			);
			return found;
		},
		async dollars(owner: string): Promise<bigint> {
			const data = encodeFunctionData({
				...{ abi: dollarAbi, functionName: "balanceOf" as const, args: [owner as Hex] as const },
			});
			return BigInt(await home.rpc<string>("eth_call", [{ to: USDG, data }, "latest"]));
		},
		async coins(chain: "market" | "home", owner: string): Promise<bigint> {
			const { rpc } = chain === "market" ? market : home;
			return BigInt(await rpc<string>("eth_getBalance", [owner, "latest"]));
		},
	};
}
