// Starts the bench's chains: private, filled, young, and with stocks to trade.

import { join } from "node:path";
import {
	decodeAbiParameters,
	encodeDeployData,
	encodeFunctionData,
	type Hex,
	zeroAddress,
} from "viem";
import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { aggregateCall, readAggregate } from "#plugins/market-index/metadata/callContract.ts";
import { MULTICALL } from "#plugins/trading/settleViews.ts";
import type { Node, TradingChain, TradingPlace } from "#test/bench/chain/model.ts";
import {
	createEmitters,
	deploymentBlocks,
	type Emitters,
	type Workload,
} from "#test/bench/chain/workload.ts";
import { openScript, type Scope } from "#test/bench/measure/startServiceProcess.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { compileRuntime } from "#test/harness/compileFixtures.ts";
import { compileContracts } from "#test/sandbox/compileContracts.ts";
import { feedAbi } from "#test/sandbox/feeds.ts";
import { openStockWorld, stockSettings } from "#test/sandbox/stocks/openStockWorld.ts";

export type NodeOptions = { genesisSeconds?: number };

/** A chain that continues: it has a block of the workload for each collection, and takes more. */
export type YoungChain = {
	node: Node;
	emitters: Emitters;
	/** Mines so many more of the workload's blocks. */
	mine(blocks: number): Promise<void>;
	/** Returns the number of the workload's blocks mined so far. */
	mined(): number;
	stop(): Promise<void>;
};

/** The first block's time, by default: a fixed one, so that every run has the same candles. */
const GENESIS_SECONDS = 1_700_000_000;
/**
 * States of so many newest blocks are kept; logs and transactions of older ones are still served.
 */
const STATES_KEPT = 256;

const NAME = "0x06fdde03";
const NAMES_MAX = 100;

/**
 * One block a second for all transactions: with a block for each, the indexer would be measured.
 */
const BLOCK_EVERY_SECONDS = 1;
const DAY_SECONDS = 86_400;
/** Funds of each wallet, in base units: 500 USDG. */
const PURSE_RAW = 500n * 1_000_000n;
const deskSchema = z.object({ issuerUrl: z.string(), routerUrl: z.string() });

const ETH_USD = 2_000n * 10n ** 8n;
const receipt = z.object({ contractAddress: z.templateLiteral(["0x", z.string()]) });

export async function startNode({ genesisSeconds }: NodeOptions = {}): Promise<Node> {
	const anvil = await startAnvil({
		args: [
			...["--no-mining", "--order", "fifo", "--accounts", "1", "--balance", "1000000"],
			...["--gas-limit", "200000000", "--base-fee", "0", "--disable-min-priority-fee"],
			...["--timestamp", String(genesisSeconds ?? GENESIS_SECONDS)],
			// Otherwise older states go to disk, gigabytes of them, and what is measured shares that
			// disk.
			...["--prune-history", String(STATES_KEPT)],
		],
	});
	await anvil.rpc("anvil_setLoggingEnabled", [false]);
	return {
		pid: anvil.pid,
		url: anvil.url,
		wsUrl: anvil.wsUrl,
		call: anvil.rpc,
		async batch(calls) {
			const body = calls.map(({ method, params = [] }, id) => ({
				jsonrpc: "2.0",
				id,
				method,
				params,
			}));
			const response = await fetch(anvil.url, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body),
			});
			const answers = (await response.json()) as { error?: { message: string } }[];
			const failed = answers.find(({ error }) => error);
			if (failed?.error)
				throw new Error(`the bench's chain refused a call: ${failed.error.message}`);
		},
		stop: anvil.stop,
	};
}

/**
 * Makes a fresh chain with the whole workload on it: deployments, then the workload's blocks.
 *
 * Made anew for each run of the bench and shared by its figures: filling takes 4 s, while anvil's
 * own dump of the same chain is 180 MB and cannot be loaded again.
 */
export async function fillChain(workload: Workload, options: NodeOptions = {}): Promise<Node> {
	const node = await startNode(options);
	const emitters = await createEmitters(node, workload);
	await node.call("anvil_setBlockTimestampInterval", [workload.blockSeconds]);
	for (let block = 0; block < workload.blocks; block++) {
		await node.batch(emitters.blockCalls(block));
		await node.call("evm_mine");
	}
	await assertWhole(node, workload);
	await assertNamed(node, emitters.collections);
	return node;
}

/**
 * Starts a chain 4663 with the sandbox's stocks and pools, the issuer's list, and the hosted router
 * in a process of its own. The market's chain is there too, and empty: nothing is indexed
 * meanwhile.
 */
export async function startStockTrading(scope: Scope): Promise<TradingPlace> {
	const [market, anvil] = await Promise.all([
		startAnvil(),
		startAnvil({ args: ["--chain-id", "4663"] }),
	]);
	scope.defer(market.stop);
	const stop = scope.defer(anvil.stop);
	await anvil.rpc("anvil_setLoggingEnabled", [false]);
	const world = await openStockWorld(anvil.url);
	// The real chain has Multicall3, by which pools and feeds are read in one call.
	await anvil.rpc("anvil_setCode", [MULTICALL, compileRuntime("Together").code]);
	const desk = openScript(scope, [
		join(import.meta.dir, "../measure/stockDeskProcess.ts"),
		anvil.url,
	]);
	const { issuerUrl, routerUrl } = deskSchema.parse(await desk.line());
	const { pools, feeds } = stockSettings(world);
	const { usdg } = world.addresses;
	const usdFeeds = {
		4663: {
			[zeroAddress]: { feed: world.feeds["ETH"], heartbeatSeconds: DAY_SECONDS },
			[usdg]: { feed: world.feeds["USDG"], heartbeatSeconds: DAY_SECONDS, symbol: "USDG" },
		},
	};
	return {
		chain: {
			...{ url: anvil.url, wsUrl: anvil.wsUrl, pid: anvil.pid, usdFeeds },
			...{ call: anvil.rpc, stop },
		},
		env: {
			CHAIN_RPC_URLS_JSON: JSON.stringify({
				31337: [market.url, market.wsUrl],
				4663: [anvil.url, anvil.wsUrl],
			}),
			USD_FEEDS_JSON: JSON.stringify(usdFeeds),
			TRADING_HOME_CHAIN: "robinhood",
			STOCK_ASSETS_BASE_URL: issuerUrl,
			ROUTER_BASE_URL: routerUrl,
			// A hosted router without a rate limit.
			ROUTER_CALLS_PER_SECOND: "1000",
			TRADE_POOLS_JSON: JSON.stringify(pools),
			STOCK_FEEDS_JSON: JSON.stringify(feeds),
			STOCK_MARKET_HOURS: "always",
			STOCK_FEED_SILENT_SECONDS: String(DAY_SECONDS),
			STOCK_ELIGIBILITY: "open",
		},
		async prepare(addresses) {
			for (const address of addresses) {
				await world.give(usdg, address as `0x${string}`, PURSE_RAW);
			}
			await anvil.rpc("evm_setAutomine", [false]);
			await anvil.rpc("evm_setIntervalMining", [BLOCK_EVERY_SECONDS]);
		},
	};
}

export async function startTradingChain(scope: Scope): Promise<TradingChain> {
	const anvil = await startAnvil();
	const stop = scope.defer(anvil.stop);
	await anvil.rpc("anvil_setLoggingEnabled", [false]);
	const [from] = await anvil.rpc<Hex[]>("eth_accounts");
	const bytecode = compileContracts().SandboxFeed.creation;
	const data = encodeDeployData({ abi: feedAbi, bytecode, args: ["ETH / USD"] });
	const deployed = await anvil.rpc("eth_sendTransaction", [{ from, data }]);
	await anvil.mined();
	const { contractAddress: feed } = receipt.parse(
		await anvil.rpc("eth_getTransactionReceipt", [deployed]),
	);
	const publish = encodeFunctionData({ abi: feedAbi, functionName: "publish", args: [ETH_USD] });
	await anvil.rpc("eth_sendTransaction", [{ from, to: feed, data: publish }]);
	await anvil.mined();
	await anvil.rpc("evm_setAutomine", [false]);
	await anvil.rpc("evm_setIntervalMining", [BLOCK_EVERY_SECONDS]);
	return {
		url: anvil.url,
		wsUrl: anvil.wsUrl,
		pid: anvil.pid,
		usdFeeds: { [anvil.chainId]: { [zeroAddress]: { feed } } },
		call: anvil.rpc,
		stop,
	};
}

export async function startYoungChain(scope: Scope, workload: Workload): Promise<YoungChain> {
	const node = await startNode();
	const stop = scope.defer(node.stop);
	const emitters = await createEmitters(node, workload);
	await node.call("anvil_setBlockTimestampInterval", [workload.blockSeconds]);
	let mined = 0;
	const mine = async (blocks: number) => {
		for (const end = mined + blocks; mined < end; mined++) {
			await node.batch(emitters.blockCalls(mined));
			await node.call("evm_mine");
		}
	};
	await mine(workload.collections);
	return { node, emitters, mine, mined: () => mined, stop };
}

/**
 * Throws unless all logs exist: a transaction that ran out of gas would omit some, and every figure
 * would look better than it is.
 */
async function assertWhole(node: Node, workload: Workload): Promise<void> {
	const { collectionsPerBlock, mintsPerCollection, salesPerCollection } = workload;
	const perBlock =
		collectionsPerBlock * (mintsPerCollection + salesPerCollection) +
		(workload.singlesPerBlock + 1 + workload.noisePerBlock);
	const before = deploymentBlocks(workload);
	for (const turn of [1, Math.ceil(workload.blocks / 2), workload.blocks]) {
		const block = before + turn;
		const at = `0x${block.toString(16)}`;
		const logs = await node.call<unknown[]>("eth_getLogs", [{ fromBlock: at, toBlock: at }]);
		if (logs.length !== perBlock) {
			throw new Error(`block ${block} of the bench's chain has ${logs.length} logs of ${perBlock}`);
		}
	}
}

/**
 * Throws unless names come by Multicall3: without it they would cost a call each, which is not so
 * on present chains.
 */
async function assertNamed(node: Node, collections: readonly Address[]): Promise<void> {
	const views = collections
		.slice(0, NAMES_MAX)
		.map((contract) => ({ contract, data: NAME }) as const);
	const { method, params } = aggregateCall(views);
	const answers = readAggregate(await node.call(method, params), views.length) ?? [];
	const named = answers.filter((answer, index) => {
		const [name] = answer ? decodeAbiParameters([{ type: "string" }], answer) : [];
		return name === `Bench ${index + 1}`;
	});
	if (named.length !== views.length)
		throw new Error("Multicall3 does not answer on the bench's chain");
}
