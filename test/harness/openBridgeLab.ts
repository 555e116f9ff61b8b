// Opens the whole service on two chains, with a bridge that really pays on both.

import { encodeDeployData, encodeFunctionData, type Hex, zeroAddress } from "viem";
import type { Clock } from "#core/clock.ts";
import type { StepObserver } from "#core/steps.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";
import {
	type BridgeEmulator,
	startBridgeEmulator,
} from "#test/sandbox/bridge/startBridgeEmulator.ts";
import { compileContracts } from "#test/sandbox/compileContracts.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";
import { feedAbi } from "#test/sandbox/feeds.ts";

export type BridgeWorldParts = {
	market: Anvil;
	home: Anvil;
	custody: CustodyEmulator;
	bridge: BridgeEmulator;
	/** The environment of a service that bridges between both chains. */
	env: Record<string, string>;
	stop(): Promise<void>;
};

export type BridgeAnswer = { status: number; body: any; text: string };
export type BridgeLab = Awaited<ReturnType<typeof openBridgeLab>>;

type Restart = Record<string, string>;

export const USDG = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
const BRIDGE_ADMIN_KEY = "a-key-of-operators-that-is-long-enough";
/** A second token on 4663 with the symbol USDG, and one that shares its symbol with another. */
const TWIN = "0x00000000000000000000000000000000000d0001";
const ONLY = "0x00000000000000000000000000000000000d0002";
/** A token on 4663 whose owner may sign for it (EIP-3009). */
export const SIGNED_DOLLAR = "0x00000000000000000000000000000000000d0003";
/** A token on 4663 that takes a new allowance only in place of none. */
export const TETHER = "0x00000000000000000000000000000000000d0004";
const ETH_USD = 2_000n;
const MICRO = 1_000_000n;

/** What takes a bridge on by the clock, up to a second later than a test wants to know. */
const JOBS = ["wallets.reconcile", "wallets.take-up", "bridge.advance", "bridge.follow"];
/** Apart from each other at first, and at most: each look is a call that the provider counts. */
const LOOK_MS_MIN = 40;
const LOOK_MS_MAX = 1_000;

/**
 * Opens the whole service on two chains, with a wallet provider and a bridge that pays on both. It
 * knows all prices.
 */
export async function openBridgeLab(
	options: {
		env?: Record<string, string>;
		/** Made before the service starts, with what it needs to know of that. */
		envOf?(world: BridgeWorldParts): Promise<Record<string, string>>;
		observeSteps?: StepObserver;
	} = {},
) {
	const { observeSteps } = options;
	const world = await openBridgeWorld();
	const env = { ...world.env, ...options.env, ...(await options.envOf?.(world)) };
	const start = async (more: object) => {
		const started = await startTestService({
			...{ scanFrom: null, env, ...(observeSteps && { observeSteps }), ...more },
		});
		await runJobs(started, ["prices.poll"]);
		return started;
	};
	const running = { service: await start({}) };
	const { database } = running.service;
	return {
		...world,
		/** The one that runs now. */
		get service() {
			return running.service;
		},
		...asking(world, running),
		/** Ends the service, and starts another on its data, with more in its environment. */
		async restart(more: Restart) {
			await running.service.stop();
			running.service = await start({ database, env: { ...env, ...more } });
		},
		async stop() {
			// A test may have stopped it already: then this does nothing.
			await running.service.stop().catch(() => {});
			await database.drop();
			await world.stop();
		},
	};
}

/**
 * Opens two chains, a wallet provider for both, and a bridge that really pays on both. Provider and
 * bridge go by the clock, where one is given.
 */
export async function openBridgeWorld({
	clock,
	made,
}: {
	clock?: Clock;
	/** The chain 4663, where there is one already. */
	made?: Anvil;
} = {}): Promise<BridgeWorldParts> {
	const timed = clock === undefined ? {} : { clock };
	const [market, home] = await Promise.all([
		startAnvil(),
		made ?? startAnvil({ args: ["--chain-id", "4663"] }),
	]);
	for (const token of [USDG, TWIN, ONLY, SIGNED_DOLLAR]) {
		await home.rpc("anvil_setCode", [token, compileContracts().SandboxDollar.runtime]);
	}
	await home.rpc("anvil_setCode", [TETHER, compileContracts().SandboxTether.runtime]);
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

async function runJobs({ host }: TestService, names: readonly string[]): Promise<void> {
	for (const name of names) {
		const job = host.jobs.find((one) => one.name === name);
		await job?.run({ signal: AbortSignal.timeout(WAIT_LIMIT_MS) });
	}
}

function asking(
	{ custody, home, market }: BridgeWorldParts,
	running: { readonly service: TestService },
) {
	let asked = 0;
	async function ask(
		path: string,
		body?: unknown,
		more: { as?: string | null; method?: string; key?: string; admin?: boolean } = {},
	): Promise<BridgeAnswer> {
		asked++;
		const { as = "ada", key, admin = false } = more;
		const token = as === null ? null : custody.token({ userId: custody.person(as).id });
		const response = await fetch(`${running.service.url}${path}`, {
			method: more.method ?? (body === undefined ? "GET" : "POST"),
			headers: {
				...(token !== null && { authorization: `Bearer ${token}` }),
				...(admin && { "x-api-key": BRIDGE_ADMIN_KEY, "x-admin-actor": "olga" }),
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
	async function untilBridge(
		id: string,
		holds: (bridge: any) => boolean,
		{ as = "ada" } = {},
	): Promise<any> {
		const look = paced(() => lookNow(running.service, id));
		let found: any = null;
		await until(
			async () => {
				found = (await ask(`/v1/bridges/intents/${id}`, undefined, { as })).body;
				if (holds(found)) return true;
				await look();
				return false;
			},
			() => `${holds}: ${found?.status} ${found?.errorCode} ${found?.providerStatus}`,
		);
		return found;
	}
	return {
		ask,
		/** Enrols a user of the wallet provider; returns their wallet. */
		async enrol(as = "ada") {
			const { body } = await ask("/v1/trading/enrollment", {}, { as });
			return body.profile.wallets[0] as { id: string; address: Hex };
		},
		/** Takes a bridge as far as it goes now. */
		look: (id: string) => lookNow(running.service, id),
		/** Waits until a step of a bridge has stopped the process that takes it. */
		async stopped(isGone: () => boolean, edge: string): Promise<void> {
			const look = paced(() => runJobs(running.service, JOBS));
			await until(async () => {
				// What it stops throws.
				if (!isGone()) await look().catch(() => {});
				return isGone();
			}, `it comes by ${edge}`);
		},
		/**
		 * Waits until a bridge is as it says; returns it. Meanwhile it is looked at sooner than it
		 * would be by the clock.
		 */
		until: untilBridge,
		/** Waits until a bridge has one of these statuses, as `until` does. */
		reached: (id: string, wanted: readonly string[], as = "ada") =>
			untilBridge(id, ({ status }) => wanted.includes(status), { as }),
		/** Waits until no deposit is on its way. */
		async deposited() {
			const look = paced(() => runJobs(running.service, JOBS));
			await until(async () => {
				const sql =
					"select 1 from bridge.bridge where look_at is not null and deposited_at is null";
				const isOpen = (await running.service.core.db.query(sql)).length > 0;
				if (isOpen) await look();
				return !isOpen;
			}, "no deposit is on its way");
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

/** Does something at once, and then each time a while later than the time before. */
function paced(act: () => Promise<void>): () => Promise<void> {
	let [dueMs, apartMs] = [0, LOOK_MS_MIN];
	return async () => {
		if (performance.now() < dueMs) return;
		await act();
		dueMs = performance.now() + apartMs;
		apartMs = Math.min(2 * apartMs, LOOK_MS_MAX);
	};
}

/** Takes a bridge as far as it goes now. */
async function lookNow(service: TestService, id: string): Promise<void> {
	await service.core.db.execute(
		"update bridge.bridge set look_at = least(look_at, now()) where id = $1",
		[id],
	);
	await runJobs(service, JOBS);
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
					dollar(TETHER, "TUSD"),
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
