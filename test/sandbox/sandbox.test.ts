import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFunctionResult, encodeFunctionData, isHex, parseAbi, toHex } from "viem";
import { z } from "zod";
import { revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";
import { until } from "#test/harness/until.ts";
import { catalogue } from "./catalogue.ts";
import { createRpc, type Rpc, readHead } from "./createRpc.ts";
import { cast, createPeople } from "./custody/people.ts";
import { addresses } from "./knownContracts.ts";
import { encodeFulfilment } from "./provider/testing/openLab.ts";
import { findReverts } from "./runTraffic.ts";
import { type Sandbox, startSandbox } from "./startSandbox.ts";
import { openStockWorld } from "./stocks/openStockWorld.ts";
import { stockAbi, stockAddresses } from "./stocks/stockCatalogue.ts";

const ORDER_FULFILLED = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const BATCH_METADATA_UPDATE = "0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c";
const Logs = z.array(
	z.object({
		address: z.string(),
		topics: z.array(z.string()),
		data: z.string(),
		blockHash: z.string(),
	}),
);
const metadataAbi = parseAbi([
	"function name() view returns (string)",
	"function contractURI() view returns (string)",
	"function tokenURI(uint256 id) view returns (string)",
	"function maxSupply() view returns (uint256)",
	"function totalSupply() view returns (uint256)",
]);
const hex = z.custom<`0x${string}`>((value) => isHex(value));
const Described = z.object({
	name: z.string(),
	image: z.string().startsWith("data:image/svg+xml;base64,"),
	attributes: z.array(z.object({ trait_type: z.string(), value: z.string() })).optional(),
});

const SMALL = { seed: 11, paceMs: 0, historyBlocks: 40 };
let dataDir: string;
let sandbox: Sandbox;
let rpc: Rpc;

beforeAll(async () => {
	dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
	sandbox = await startSandbox({ dataDir, ...SMALL });
	rpc = createRpc(sandbox.httpUrl);
	// The world is ready before it is saved.
	await until(() => existsSync(join(dataDir, "chain.snapshot")), "the world was saved");
});

afterAll(async () => {
	await sandbox?.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

async function logs(of: Rpc, topic: string, toBlock = "latest"): Promise<z.infer<typeof Logs>> {
	const filter = { fromBlock: toHex(sandbox.firstBlock), toBlock, topics: [topic] };
	return Logs.parse(await of.call("eth_getLogs", [filter]));
}

async function collectionAddress(key: string): Promise<`0x${string}`> {
	const [header] = readFileSync(join(dataDir, "chain.snapshot")).toString("latin1").split("\n", 1);
	const saved = z.object({
		world: z.object({ collections: z.array(z.object({ key: z.string(), address: hex })) }),
	});
	const found = saved.parse(JSON.parse(header ?? "")).world.collections.find((c) => c.key === key);
	return hex.parse(found?.address);
}

async function ask(
	to: `0x${string}`,
	call:
		| { functionName: "name" | "contractURI" | "maxSupply" | "totalSupply" }
		| { functionName: "tokenURI"; args: [bigint] },
): Promise<string> {
	const data = encodeFunctionData({ abi: metadataAbi, ...call });
	const answer = hex.parse(await rpc.call("eth_call", [{ to, data }, "latest"]));
	return String(
		decodeFunctionResult({ abi: metadataAbi, functionName: call.functionName, data: answer }),
	);
}

function readDataUri(uri: string): z.infer<typeof Described> {
	return Described.parse(JSON.parse(Buffer.from(uri.split(",")[1] ?? "", "base64").toString()));
}

describe("the sandbox world", () => {
	test("the sandbox is chain 31337, and its newest block has the current time", async () => {
		expect(sandbox.chainId).toBe(31_337);
		expect(Number(await rpc.call("eth_chainId"))).toBe(31_337);
		const head = await readHead(rpc);
		expect(head.number).toBe(SMALL.historyBlocks + 2);
		expect(Math.abs(head.timeS - Date.now() / 1_000)).toBeLessThan(120);
	});

	test("the sandbox also has a chain 4663, with ether for people on both", async () => {
		const { home } = sandbox;
		const own = createRpc(home.httpUrl);
		expect([home.chainId, Number(await own.call("eth_chainId"))]).toEqual([4663, 4663]);
		expect(Math.abs((await readHead(own)).timeS - Date.now() / 1_000)).toBeLessThan(120);
		const [person] = z.array(hex).parse(await own.call("eth_accounts"));
		for (const one of [rpc, own]) {
			const balance = await one.call("eth_getBalance", [person, "latest"]);
			expect(BigInt(String(balance))).toBeGreaterThan(10n ** 20n);
		}
	});

	test("the sandbox has a wallet provider that accepts the announced application, and no other", async () => {
		const { walletProviderUrl, walletProvider } = sandbox;
		const { appId, appSecret } = walletProvider;
		const ask = async (secret: string): Promise<number> => {
			const basic = Buffer.from(`${appId}:${secret}`).toString("base64");
			const headers = { authorization: `Basic ${basic}`, "privy-app-id": appId };
			const path = "/v1/users/did%3Aprivy%3Asandbox000000";
			return (await fetch(`${walletProviderUrl}${path}`, { headers })).status;
		};
		expect(await ask(appSecret)).toBe(200);
		expect(await ask("another")).toBe(401);
	});

	test("the sandbox has a token on the home chain, and pays the keeper wallet to burn it", async () => {
		const { economy, home, walletProviderUrl, walletProvider } = sandbox;
		const { appId, appSecret } = walletProvider;
		const basic = Buffer.from(`${appId}:${appSecret}`).toString("base64");
		const asked = await fetch(`${walletProviderUrl}/v1/wallets/${economy.keeperWalletId}`, {
			headers: { authorization: `Basic ${basic}`, "privy-app-id": appId },
		});
		const keeper = z.object({ address: hex }).parse(await asked.json());
		const own = createRpc(home.httpUrl);
		const ofRouter = async (data: `0x${string}`) =>
			hex.parse(await own.call("eth_call", [{ to: economy.router, data }, "latest"]));
		const payee = { abi: revenueRouterAbi, functionName: "payeeOf", args: [2] } as const;
		const paid = decodeFunctionResult({
			...payee,
			data: await ofRouter(encodeFunctionData(payee)),
		});
		expect(paid).toBe(keeper.address);
		const args = [2, "0x0000000000000000000000000000000000000000"] as const;
		const owed = { abi: revenueRouterAbi, functionName: "owed", args } as const;
		const due = decodeFunctionResult({ ...owed, data: await ofRouter(encodeFunctionData(owed)) });
		expect(due > 10n ** 17n).toBe(true);
		const purse = await own.call("eth_getBalance", [keeper.address, "latest"]);
		expect(BigInt(String(purse)) > 10n ** 20n).toBe(true);
		const told = await (await fetch(economy.url)).json();
		expect(told).toMatchObject({ token: economy.token, sandwiches: [] });
	});

	test("the sandbox has stocks on the home chain that its users hold, that are listed and quoted", async () => {
		const { stocks, home } = sandbox;
		const { usdg } = stockAddresses;
		const listed = await (await fetch(`${stocks.assetsUrl}/rhj/assets`)).json();
		expect(listed.assets.length).toBeGreaterThan(12);
		const world = await openStockWorld(home.httpUrl);
		expect(world.isNew).toBe(false);
		const ada = createPeople(cast).find("ada")?.wallet?.address;
		const data = encodeFunctionData({
			...{ abi: stockAbi, functionName: "balanceOf", args: [ada ?? "0x"] },
		});
		const read = [{ to: usdg, data }, "latest"];
		const balance = await createRpc(home.httpUrl).call("eth_call", read);
		expect(BigInt(String(balance))).toBe(20_000_000_000n);
		const ask = {
			...{ type: "EXACT_INPUT", amount: "50000000", swapper: ada, tokenIn: usdg },
			...{ tokenInChainId: 4663, tokenOutChainId: 4663, tokenOut: world.stock("TSLA").address },
		};
		const headers = { "x-api-key": stocks.routerKey, "x-universal-router-version": "2.1.1" };
		const body = JSON.stringify(ask);
		const quote = await fetch(`${stocks.routerUrl}/quote`, { method: "POST", headers, body });
		expect(quote.status).toBe(200);
		expect(stocks.pools.map(({ address }) => address)).toContain(
			world.stock("TSLA").pools[0]?.address.toLowerCase() ?? "",
		);
	});

	test("the sandbox has no reverted transaction", async () => {
		const head = await readHead(rpc);
		const found = await findReverts(rpc, { fromBlock: 1, toBlock: head.number });
		expect(found.reverted).toEqual([]);
		expect(found.transactions).toBeGreaterThan(800);
	});

	test("the sandbox sells at least eight collections through the real Seaport", async () => {
		const fulfilled = await logs(rpc, ORDER_FULFILLED);
		expect(new Set(fulfilled.map((log) => log.address))).toEqual(
			new Set([addresses.seaport.toLowerCase()]),
		);
		const sold = await Promise.all(
			catalogue.map(async ({ key }) => {
				const word = (await collectionAddress(key)).slice(2).toLowerCase();
				return fulfilled.filter((log) => log.data.includes(word)).length;
			}),
		);
		expect(sold.filter((sales) => sales >= 8).length).toBeGreaterThanOrEqual(8);
	});

	test("the sandbox mints ERC-721, and ERC-20 under the same topic", async () => {
		const minted = (await logs(rpc, TRANSFER)).filter(
			(log) => log.topics[1] === `0x${"0".repeat(64)}`,
		);
		expect(minted.filter((log) => log.topics.length === 4).length).toBeGreaterThan(400);
		expect(minted.filter((log) => log.topics.length === 3).length).toBeGreaterThan(0);
	});

	test("the sandbox's collections and tokens have metadata on chain, with pictures", async () => {
		for (const plan of catalogue) {
			const address = await collectionAddress(plan.key);
			expect(await ask(address, { functionName: "name" })).toBe(plan.name);
			const described = readDataUri(await ask(address, { functionName: "contractURI" }));
			expect(described.name).toBe(plan.name);
			expect(Buffer.from(described.image.split(",")[1] ?? "", "base64").toString()).toStartWith(
				"<svg ",
			);
		}
		const token = readDataUri(
			await ask(await collectionAddress("harbor"), { functionName: "tokenURI", args: [1n] }),
		);
		expect(token.name).toBe("Harbor Lights #1");
		expect(token.attributes).toHaveLength(3);
	});

	test("the sandbox has one collection sold out, one revealed with ERC-4906 and one still hidden", async () => {
		const astro = await collectionAddress("astro");
		expect(await ask(astro, { functionName: "totalSupply" })).toBe(
			await ask(astro, { functionName: "maxSupply" }),
		);
		const revealed = await logs(rpc, BATCH_METADATA_UPDATE);
		expect(revealed.map((log) => log.address)).toEqual([
			(await collectionAddress("ferry")).toLowerCase(),
		]);
		const glass = await collectionAddress("glass");
		const first = await ask(glass, { functionName: "tokenURI", args: [1n] });
		expect(await ask(glass, { functionName: "tokenURI", args: [2n] })).toBe(first);
		expect(readDataUri(first).attributes).toBeUndefined();
	});

	test("the sandbox refuses a second process on its directory", async () => {
		const other = Bun.spawn(
			[process.execPath, join(import.meta.dir, "main.ts"), "--data-dir", dataDir],
			{
				stdin: "pipe",
				stderr: "pipe",
			},
		);
		expect(await other.exited).toBe(1);
		expect(await new Response(other.stderr).text()).toContain("another sandbox runs");
	});

	test("the sandbox's marketplace sells to people, and continues after they bought", async () => {
		const [person] = z.array(hex).parse(await rpc.call("eth_accounts"));
		const read = async (path: string, init?: RequestInit): Promise<any> =>
			await (await fetch(`${sandbox.providerUrl}/api/v2${path}`, init)).json();
		const { listings } = await read("/listings/collection/kiln-folk/best?limit=100");
		const forEther = listings.filter((one: any) => one.price.current.currency === "ETH");
		const sent: unknown[] = [];
		for (const { order_hash, chain, protocol_address } of forEther) {
			const listing = { hash: order_hash, chain, protocol_address };
			const body = JSON.stringify({ listing, fulfiller: { address: person } });
			const path = "/listings/fulfillment_data";
			const answer = await read(path, { method: "POST", body });
			// Traffic continues: another buyer was faster, or the seller cancelled.
			if (!answer.fulfillment_data) continue;
			const call = encodeFulfilment(answer);
			const buy = { from: person, gas: toHex(1_500_000), ...call };
			sent.push(await rpc.call("eth_sendTransaction", [buy]));
		}
		let receipts: any[] = [];
		await until(async () => {
			receipts = await Promise.all(
				sent.map((hash) => rpc.call("eth_getTransactionReceipt", [hash])),
			);
			return receipts.every((receipt) => receipt !== null);
		}, "the buys are mined");
		const bought = receipts.filter(({ status }) => status === "0x1").length;
		expect(bought).toBeGreaterThan(5);
		// The next test restarts the world: a planner that missed this sale would plan sales of what
		// the actors no longer have.
		await until(async () => {
			const path = "/events/collection/kiln-folk?event_type=sale&limit=200";
			const { asset_events } = await read(path);
			return asset_events.filter((sale: any) => sale.buyer === person).length === bought;
		}, "the marketplace shows the sales");
	});

	test("the sandbox continues the same chain after a stop: same hashes, same logs, and more trades", async () => {
		const head = await readHead(rpc);
		const oldLogs = await logs(rpc, ORDER_FULFILLED, toHex(head.number));
		const block = await rpc.call("eth_getBlockByNumber", [toHex(20), true]);
		const hash = await sendHome();
		const mined = await createRpc(sandbox.home.httpUrl).call("eth_getTransactionReceipt", [hash]);
		await sandbox.stop();
		sandbox = await startSandbox({ dataDir, ...SMALL, paceMs: 50 });
		rpc = createRpc(sandbox.httpUrl);
		expect(await rpc.call("eth_getBlockByNumber", [toHex(20), true])).toEqual(block);
		expect(await logs(rpc, ORDER_FULFILLED, toHex(head.number))).toEqual(oldLogs);
		const home = createRpc(sandbox.home.httpUrl);
		expect(await home.call("eth_getTransactionReceipt", [hash])).toEqual(mined);
		const homeHead = await readHead(home);
		await until(async () => (await readHead(home)).number > homeHead.number, "a block at home");
		const after = await waitForBlock(head.number + 75);
		const live = await findReverts(rpc, { fromBlock: head.number + 1, toBlock: after });
		expect(live.reverted).toEqual([]);
		expect((await logs(rpc, ORDER_FULFILLED)).length).toBeGreaterThan(oldLogs.length);
		// Glasshouse Botanica opens 60 blocks after history.
		expect(await logs(rpc, BATCH_METADATA_UPDATE)).toHaveLength(2);
	});

	test("after a kill no anvil remains, and a restart uses the last saved state", async () => {
		const block = await rpc.call("eth_getBlockByNumber", [toHex(20), true]);
		process.kill(sandbox.pid, "SIGKILL");
		await waitForSilence(sandbox.httpUrl);
		sandbox = await startSandbox({ dataDir, ...SMALL });
		rpc = createRpc(sandbox.httpUrl);
		expect(await rpc.call("eth_getBlockByNumber", [toHex(20), true])).toEqual(block);
		expect((await logs(rpc, ORDER_FULFILLED)).length).toBeGreaterThan(100);
	});

	test("anvil ends when the stdin of the sandbox closes", async () => {
		const url = sandbox.httpUrl;
		await sandbox.stop();
		await expect(fetch(url, { method: "POST", body: "{}" })).rejects.toThrow();
	});

	test("the sandbox begins a new world, and says so, if the saved one is broken", async () => {
		writeFileSync(join(dataDir, "chain.snapshot"), "{ half a chain");
		writeFileSync(join(dataDir, "home.snapshot"), "{ half a chain");
		const child = Bun.spawn(
			[
				process.execPath,
				join(import.meta.dir, "main.ts"),
				"--data-dir",
				dataDir,
				"--history-blocks",
				"8",
			],
			{ stdin: "pipe", stdout: "pipe", stderr: "pipe" },
		);
		const reader = child.stdout.getReader();
		const line = new TextDecoder().decode((await reader.read()).value);
		child.kill("SIGTERM");
		expect(await child.exited).toBe(0);
		expect(JSON.parse(line).ready).toBe(true);
		const said = await new Response(child.stderr).text();
		expect(said).toContain("a new world begins");
		expect(said).toContain("the saved home chain cannot be used");
	});
});

/** Sends a small amount on the home chain; returns its hash once it is mined. */
async function sendHome(): Promise<unknown> {
	const home = createRpc(sandbox.home.httpUrl);
	const [from, to] = z.array(hex).parse(await home.call("eth_accounts"));
	const hash = await home.call("eth_sendTransaction", [{ from, to, value: "0x1" }]);
	const receipt = () => home.call("eth_getTransactionReceipt", [hash]);
	await until(async () => (await receipt()) !== null, "it is mined at home");
	return hash;
}

/** Waits for blocks, not for time: the world mines them at its pace. */
async function waitForBlock(number: number): Promise<number> {
	for (;;) {
		const head = await readHead(rpc);
		if (head.number >= number) return head.number;
		await Bun.sleep(20);
	}
}

/** Waits until the address no longer answers. */
async function waitForSilence(url: string): Promise<void> {
	for (;;) {
		try {
			await fetch(url, { method: "POST", body: "{}" });
			await Bun.sleep(20);
		} catch {
			return;
		}
	}
}
