// Starts the sandbox as a process that ends with this one.

import { join } from "node:path";
import { z } from "zod";
import type { WalletProviderAccess } from "./custody/startCustodyEmulator.ts";
import type { EconomySettings } from "./economy/describeEconomy.ts";
import type { SocialAccess } from "./social/SocialFault.ts";
import type { StockSettings } from "./stocks/openStockWorld.ts";

const Ready = z.object({
	ready: z.literal(true),
	chainId: z.int(),
	httpUrl: z.string(),
	wsUrl: z.string(),
	firstBlock: z.int(),
	home: z.object({
		chainId: z.int(),
		httpUrl: z.string(),
		wsUrl: z.string(),
		firstBlock: z.int(),
	}),
	usdFeeds: z.record(z.string(), z.unknown()),
	stocks: z.object({
		assetsUrl: z.string(),
		routerUrl: z.string(),
		routerKey: z.string(),
		pools: z.array(
			z.object({
				address: z.string(),
				tokens: z.tuple([z.string(), z.string()]),
				fee: z.int(),
			}),
		),
		v4Pools: z.array(
			z.object({
				tokens: z.tuple([z.string(), z.string()]),
				fee: z.int(),
				tickSpacing: z.int(),
			}),
		),
		feeds: z.record(z.string(), z.string()),
	}),
	economy: z.object({
		url: z.string(),
		token: z.string(),
		router: z.string(),
		burner: z.string(),
		keeperWalletId: z.string(),
		currencies: z.array(z.string()),
		pools: z.array(
			z.object({
				address: z.string(),
				tokens: z.tuple([z.string(), z.string()]),
				fee: z.int(),
			}),
		),
	}),
	reveals: z.array(z.string()),
	studioUrl: z.string(),
	providerUrl: z.string(),
	providerStreamUrl: z.string(),
	walletProviderUrl: z.string(),
	walletProvider: z.object({
		appId: z.string(),
		appSecret: z.string(),
		authorizationKey: z.string(),
		verificationKey: z.string(),
		webhookSecret: z.string(),
	}),
	modelUrl: z.string(),
	socialUrl: z.string(),
	social: z.object({
		botUsername: z.string(),
		apiKey: z.string(),
		apiSecret: z.string(),
		bearerToken: z.string(),
		clientId: z.string(),
		clientSecret: z.string(),
		userAccessToken: z.string(),
		userRefreshToken: z.string(),
		oauth1AccessToken: z.string(),
		oauth1AccessTokenSecret: z.string(),
		webhookId: z.string(),
		webhookSecret: z.string(),
	}),
	stable: z.object({ chainId: z.int(), httpUrl: z.string() }),
	bridgeUrl: z.string(),
	bridgeKey: z.string(),
	bridgeDirect: z.array(z.unknown()),
});

export type SandboxOptions = {
	dataDir: string;
	seed?: number;
	/** Milliseconds between live blocks; 0: no traffic, and each transaction is mined as it comes. */
	paceMs?: number;
	/** 420 blocks are four days; 40 are enough for a test and take some seconds less. */
	historyBlocks?: number;
	/** The marketplace provider's `x-api-key`; without it no key is needed. */
	providerKey?: string;
};

export type Sandbox = {
	httpUrl: string;
	wsUrl: string;
	chainId: number;
	firstBlock: number;
	/** A chain 4663 beside it, where wallets are linked; each transaction is mined at once. */
	home: { chainId: number; httpUrl: string; wsUrl: string; firstBlock: number };
	/** The world's price feeds, as `USD_FEEDS_JSON` takes them. */
	usdFeeds: Record<string, unknown>;
	/**
	 * The stock world on the home chain: the issuer's list and the hosted router, and the values of
	 * `TRADE_POOLS_JSON`, `TRADE_V4_POOLS_JSON` and `STOCK_FEEDS_JSON`.
	 */
	stocks: StockSettings & { assetsUrl: string; routerUrl: string; routerKey: string };
	/** The token's economy on the home chain, and the URL where its faults are ordered. */
	economy: EconomySettings & { url: string };
	/** Contracts of collections that are hidden, and are revealed while traffic runs. */
	reveals: string[];
	/** The studio that opens hidden collections on demand, and serves their documents. */
	studioUrl: string;
	/** The marketplace provider over this chain: its REST API and its stream. */
	providerUrl: string;
	providerStreamUrl: string;
	/** The wallet provider with keys for both chains, and its application's credentials. */
	walletProviderUrl: string;
	walletProvider: WalletProviderAccess;
	/** A language model for the agent: `OPENAI_BASE_URL`, with any key and any model name. */
	modelUrl: string;
	/** X, and the credentials of the bot's app. */
	socialUrl: string;
	social: SocialAccess;
	/** A chain that bridges only arrive on: `BRIDGE_RPC_URLS_JSON`. */
	stable: { chainId: number; httpUrl: string };
	/** The bridge provider between all three, and its key: `BRIDGE_BASE_URL`, `BRIDGE_API_KEY`. */
	bridgeUrl: string;
	bridgeKey: string;
	/** Tokens that cross by themselves, as `BRIDGE_DIRECT_JSON` takes them. */
	bridgeDirect: unknown[];
	pid: number;
	/** Saves the chain and ends anvil; the same `dataDir` continues it. */
	stop(): Promise<void>;
};

const START_TIMEOUT_MS = 200_000;
const STOP_TIMEOUT_MS = 20_000;

/** Starts the sandbox world as a process that ends with this one. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
	const child = Bun.spawn(
		[process.execPath, join(import.meta.dir, "main.ts"), ...argumentsOf(options)],
		{
			stdin: "pipe",
			stdout: "pipe",
			stderr: "inherit",
		},
	);
	const late = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
	const line = await firstLine(child.stdout).finally(() => clearTimeout(late));
	if (line === undefined) {
		throw new Error(`the sandbox ended with code ${await child.exited} before it was ready`);
	}
	const { ready: _, ...world } = Ready.parse(JSON.parse(line));
	return {
		...world,
		pid: child.pid,
		async stop() {
			child.stdin.end();
			const stuck = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
			await child.exited.finally(() => clearTimeout(stuck));
		},
	};
}

function argumentsOf(options: SandboxOptions): string[] {
	const { dataDir, seed, paceMs, historyBlocks, providerKey } = options;
	const args = ["--data-dir", dataDir];
	if (seed !== undefined) args.push("--seed", String(seed));
	if (paceMs !== undefined) args.push("--pace-ms", String(paceMs));
	if (historyBlocks !== undefined) args.push("--history-blocks", String(historyBlocks));
	if (providerKey !== undefined) args.push("--provider-key", providerKey);
	return args;
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string | undefined> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of output) {
		text += decoder.decode(chunk, { stream: true });
		const end = text.indexOf("\n");
		if (end >= 0) return text.slice(0, end);
	}
	return undefined;
}
