// Opens collections that reveal in the sandbox, and judges the plans on them.

import type { Database } from "#core/db/Database.ts";
import { REVEAL_NAMES, type RevealName } from "../../sandbox/reveals/revealKinds.ts";
import type { Sandbox } from "../../sandbox/startSandbox.ts";

export type Ada = {
	wallet: string;
	/** Sends a request with her session. */
	ask(path: string, body?: unknown): Promise<{ status: number; body: any }>;
};

/** A hidden collection of a sandbox that is revealed on demand. */
export type Show = { contract: string; kind: RevealName };

type Judged = {
	sandbox: Sandbox;
	db: Database;
	wallet: string;
	terms: { ceiling: number; budget: number; items: number };
};

const isProving = process.env["PROVE"] === "1";
const TOKENS = isProving ? 200 : 60;
/** Collections of each kind; in a short run one of each. */
const OF_EACH = isProving ? 3 : 1;
/** The time between tokens that are revealed one by one. */
const EVERY_MS = isProving ? 100 : 10;

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
			// On a busy machine the service may close an idle connection in the moment of its reuse.
			keepalive: false,
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

/** Opens collections of every kind, whose sellers begin to list. */
export async function openShows({ studioUrl }: Sandbox): Promise<Show[]> {
	const shows: Show[] = [];
	for (const kind of Array.from({ length: OF_EACH }, () => REVEAL_NAMES).flat()) {
		const asked = { kind, tokens: TOKENS, everyMs: EVERY_MS };
		shows.push((await post(`${studioUrl}/_sandbox/reveals`, asked)) as Show);
	}
	return shows;
}

/** Makes document servers fail for a while, and sellers faster than the buyer, from now on. */
export async function spoilHosts({ studioUrl, providerUrl }: Sandbox): Promise<void> {
	const hosts = [
		{ kind: "old_document", path: "/open/", times: 12 },
		{ kind: "429", retryAfter: 1, times: 2 },
		{ kind: "slow", delayMs: 300, times: 6 },
		{ kind: "500", path: "/open/", times: 2 },
		{ kind: "truncated", path: "/open/", times: 2 },
	];
	const fills = "/listings/fulfillment_data$";
	const sellers = ["seller_sells", "seller_cancels", "seller_withdraws"].map((kind) => {
		return { kind, path: fills, times: 1 };
	});
	for (const fault of hosts) await post(`${studioUrl}/_sandbox/faults`, fault);
	for (const fault of sellers) await post(`${providerUrl}/_sandbox/faults`, fault);
}

/** Returns how many seller faults are still unused. */
export async function racesLeft({ providerUrl }: Sandbox): Promise<number> {
	const response = await fetch(`${providerUrl}/_sandbox/faults`);
	const { faults } = (await response.json()) as { faults: { kind: string }[] };
	return faults.filter(({ kind }) => kind.startsWith("seller_")).length;
}

/** Compares plans with their terms, the ledger and the chain; returns everything that is wrong. */
export async function judgeShows(
	read: readonly { show: Show; plan: any }[],
	{ sandbox, db, wallet, terms }: Judged,
): Promise<string[]> {
	const problems: string[] = [];
	for (const { show, plan } of read) {
		const must = (holds: boolean, problem: string) => {
			if (!holds) problems.push(`${show.kind}: ${problem}`);
		};
		const bought = plan.fills.filter(({ status }: any) => status === "confirmed");
		const tokens = new Set(bought.map(({ tokenId }: any) => tokenId));
		const prices = bought.map(({ priceRaw }: any) => BigInt(priceRaw) as bigint);
		const spent = prices.reduce((sum: bigint, price: bigint) => sum + price, 0n);
		must(bought.length > 0, `nothing is bought: ${JSON.stringify(plan.fills)}`);
		must(bought.length <= terms.items && tokens.size === bought.length, "too many are bought");
		must(plan.spentNative <= terms.budget, `${plan.spentNative} are spent`);
		must(
			bought.every(({ priceNative }: any) => priceNative <= terms.ceiling),
			"one is too dear",
		);
		must(plan.spentRaw === String(spent), `it says ${plan.spentRaw}, and fills come to ${spent}`);
		const chain = await paidOnChain(
			sandbox,
			db,
			bought.map(({ intentId }: any) => intentId),
		);
		must(chain === spent, `the chain has ${chain}`);
		const held = await tokensOf(sandbox, show.contract, wallet);
		must(held === BigInt(bought.length), `${held} tokens are hers`);
	}
	return problems;
}

async function post(url: string, body: unknown): Promise<unknown> {
	const headers = { "content-type": "application/json" };
	const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
	return response.json();
}

/** Returns what the mined transactions of these intents paid. */
async function paidOnChain(
	sandbox: Sandbox,
	db: Database,
	intentIds: readonly string[],
): Promise<bigint> {
	const rows = await db.query<{ hash: string }>(
		`select '0x' || encode(transaction_hash, 'hex') as hash from wallets.submission
		where intent_id = any($1::uuid[]) and transaction_hash is not null`,
		[intentIds],
	);
	let paid = 0n;
	for (const { hash } of rows) {
		const receipt = await rpc(sandbox, "eth_getTransactionReceipt", [hash]);
		if (receipt?.status !== "0x1") continue;
		paid += BigInt((await rpc(sandbox, "eth_getTransactionByHash", [hash])).value);
	}
	return paid;
}

async function rpc({ httpUrl }: Sandbox, method: string, params: unknown[]): Promise<any> {
	const body = { id: 1, jsonrpc: "2.0", method, params };
	return ((await post(httpUrl, body)) as any).result;
}

async function tokensOf(sandbox: Sandbox, to: string, owner: string): Promise<bigint> {
	const data = `0x70a08231${owner.slice(2).padStart(64, "0")}`;
	return BigInt(await rpc(sandbox, "eth_call", [{ to, data }, "latest"]));
}
