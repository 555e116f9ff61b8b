// Deploys Uniswap, the currencies, stocks, feeds and pools into a chain.

import { createRequire } from "node:module";
import {
	type Address,
	encodeAbiParameters,
	encodeDeployData,
	encodeFunctionData,
	type Hex,
	isHex,
	toHex,
} from "viem";
import { z } from "zod";
import { sleep } from "#core/time.ts";
import { compileContracts } from "../compileContracts.ts";
import type { Rpc, RpcCall } from "../createRpc.ts";
import {
	decoyPools,
	deployedStocks,
	describeStockWorld,
	feedNames,
	honestV4Pools,
	hooks,
	openingsOf,
	type Prices,
	v4OpeningsOf,
} from "./describeStockWorld.ts";
import {
	makerAbi,
	stockAbi,
	stockAddresses,
	stockFactoryAbi,
	stockFeedAbi,
	uniswapAbi,
} from "./stockCatalogue.ts";

export type SenderTx = { to?: Address; data: Hex; value?: bigint };
/** Mines these transactions in order; throws when one of them reverts. */
export type Send = (txs: readonly SenderTx[]) => Promise<void>;

export type Placed = { at: Address; creation: Hex };

const Hash = z.custom<Hex>((value) => isHex(value));
const Receipt = z.object({ status: z.string() });
const GAS_LIMIT = toHex(14_000_000);
/** What a block of 300 million gas holds: a node with automatic mining drops the rest. */
const TXS_PER_BLOCK = 20;
const WEALTH = toHex(10n ** 27n);
const LOOKS_MAX = 5_000;
const LOOK_EVERY_MS = 2;
const LOOKS_TILL_STUCK = 250;

const Code = z.custom<Hex>((value) => isHex(value));
const GAS = toHex(12_000_000);

const artifacts = {
	factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
	router: "@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json",
	quoter: "@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
	v4Manager: "@uniswap/v4-core/out/PoolManager.sol/PoolManager.json",
	v4Quoter: "@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json",
	v4StateView: "@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json",
} as const;
const code = z.custom<Hex>((value) => isHex(value));
/** An artifact of Hardhat, or of Foundry. */
const Artifact = z.object({
	bytecode: z.union([code, z.object({ object: code }).transform(({ object }) => object)]),
});

const { weth, usdg, factory, router, quoter, stockFactory, issuer, maker } = stockAddresses;
const { v4Manager, v4Quoter, v4StateView } = stockAddresses;
const NOBODY = `0x${"0".repeat(40)}` as const;
/**
 * Deploys the placed contracts. Not the issuer, whose nonces decide the addresses that it deploys.
 */
const BUILDER = "0xb011de0000000000000000000000000000004663";
const V4_POOLS_PER_TX = 60;
const BAD_FEE_BPS = 300n;
const REBASED = 1_100_000_000_000_000_000n;

/** Deploys Uniswap V3, the currencies, stocks, feeds and pools into a chain without them. */
export async function deployStockWorld(
	rpc: Rpc,
	{ send, prices }: { send: Send; prices: Prices },
): Promise<void> {
	const artifacts = compileContracts();
	const currency = encodeAbiParameters(
		[
			{ type: "string" },
			{ type: "string" },
			{ type: "uint8" },
			{ type: "address" },
			{ type: "address" },
		],
		["Global Dollar", "USDG", 6, issuer, maker],
	);
	await rpc.call("anvil_setCode", [weth, artifacts.WETH.runtime]);
	const build = await createSender(rpc, BUILDER);
	await placeContracts(rpc, {
		builder: BUILDER,
		send: build,
		contracts: [
			{ at: usdg, creation: joined(artifacts.SandboxToken.creation, currency) },
			{ at: stockFactory, creation: artifacts.SandboxStockFactory.creation },
			{ at: factory, creation: uniswapBytecode("factory") },
			{ at: quoter, creation: joined(uniswapBytecode("quoter"), words(factory, weth)) },
			{
				at: router,
				creation: joined(uniswapBytecode("router"), words(NOBODY, factory, NOBODY, weth)),
			},
			{ at: v4Manager, creation: joined(uniswapBytecode("v4Manager"), words(BUILDER)) },
			{ at: v4Quoter, creation: joined(uniswapBytecode("v4Quoter"), words(v4Manager)) },
			{ at: v4StateView, creation: joined(uniswapBytecode("v4StateView"), words(v4Manager)) },
			...hooks.map(({ address, bps }) => ({
				at: address,
				creation: joined(artifacts.SandboxHook.creation, hookWords(bps)),
			})),
		],
	});
	// The factory starts without the lowest tier, as Uniswap's own did.
	const lowest = { functionName: "enableFeeAmount", args: [100, 1] } as const;
	await build([{ to: factory, data: encodeFunctionData({ abi: uniswapAbi, ...lowest }) }]);
	const makerCode = encodeDeployData({
		abi: makerAbi,
		bytecode: artifacts.StockMaker.creation,
		args: [issuer, weth, factory, v4Manager, v4StateView],
	});
	const feeds = feedNames.map((name) => ({
		data: encodeDeployData({
			abi: stockFeedAbi,
			bytecode: artifacts.StockFeed.creation,
			args: [`${name} / USD`, 8],
		}),
	}));
	await send([{ data: makerCode }, ...feeds, ...deployedStocks.map(deployment)]);
	const openings = openingsOf(prices).map((opening) => ({
		to: maker,
		data: encodeFunctionData({ abi: makerAbi, functionName: "open", args: [[opening]] }),
	}));
	await send([...openings, ...spoilings(), ...v4Openings(prices)]);
}

/** Makes the sender of an account on an anvil. Its key is unknown: the node signs for it. */
export async function createSender(rpc: Rpc, from: Address): Promise<Send> {
	await rpc.batch([
		{ method: "anvil_impersonateAccount", params: [from] },
		{ method: "anvil_setBalance", params: [from, WEALTH] },
	]);
	async function sendNow(txs: readonly SenderTx[]): Promise<void> {
		for (let at = 0; at < txs.length; at += TXS_PER_BLOCK) {
			await sendBlock(txs.slice(at, at + TXS_PER_BLOCK));
		}
	}
	async function sendBlock(txs: readonly SenderTx[]): Promise<void> {
		const first = await rpc.call("eth_getTransactionCount", [from, "pending"]);
		const calls = txs.map(({ to, data, value = 0n }, index) => {
			// Nonces are set here: anvil guarantees no order within a request.
			const nonce = toHex(Number(first) + index);
			const rest = { data, value: toHex(value), gas: GAS_LIMIT, nonce };
			return { method: "eth_sendTransaction", params: [{ from, ...(to && { to }), ...rest }] };
		});
		const hashes = (await rpc.batch(calls)).map((hash) => Hash.parse(hash));
		await mineAll(rpc, new Map(calls.map((call, at) => [hashes[at] ?? "0x", call])));
	}
	let sending: Promise<void> = Promise.resolve();
	return async (txs) => {
		// One after the other: each begins at the nonce where the one before it ended.
		const sent = sending.catch(() => {}).then(() => sendNow(txs));
		sending = sent;
		await sent;
	};
}

/**
 * Puts contracts at chosen addresses: each constructor runs *there* (its creation code is set as
 * code and called), so immutables are as compiled. It is called twice: once to get the code that it
 * returns, once in a transaction that keeps its storage writes.
 */
async function placeContracts(
	rpc: Rpc,
	{ builder, send, contracts }: { builder: Address; send: Send; contracts: readonly Placed[] },
): Promise<void> {
	await rpc.batch(
		contracts.flatMap(({ at, creation }) => [
			{ method: "anvil_setNonce", params: [at, "0x1"] },
			{ method: "anvil_setCode", params: [at, creation] },
		]),
	);
	const calls = contracts.map(({ at }) => ({ from: builder, to: at, data: "0x", gas: GAS }));
	const codes = await rpc.batch(
		calls.map((call) => ({ method: "eth_call", params: [call, "latest"] })),
	);
	await send(contracts.map(({ at }) => ({ to: at, data: "0x" })));
	await rpc.batch(
		contracts.map(({ at }, index) => ({
			method: "anvil_setCode",
			params: [at, Code.parse(codes[index])],
		})),
	);
}

/** Returns the creation code that Uniswap published. */
export function uniswapBytecode(of: keyof typeof artifacts): Hex {
	return Artifact.parse(createRequire(import.meta.url)(artifacts[of])).bytecode;
}

function joined(creation: Hex, args: Hex): Hex {
	return `${creation}${args.slice(2)}`;
}

function words(...addresses: Hex[]): Hex {
	return encodeAbiParameters(
		addresses.map(() => ({ type: "address" })),
		addresses,
	);
}

function hookWords(bps: number): Hex {
	const parts = [{ type: "address" }, { type: "uint256" }] as const;
	return encodeAbiParameters(parts, [v4Manager, BigInt(bps)]);
}

function deployment({ uid, name, ticker, decimals, multiplier }: (typeof deployedStocks)[number]) {
	const args = [uid, `${name} token`, ticker, decimals, multiplier, maker] as const;
	const data = encodeFunctionData({ abi: stockFactoryAbi, functionName: "deploy", args });
	return { to: stockFactory, data };
}

/** Returns the calls that make the bad tokens bad, after their pools are open. */
function spoilings() {
	const { bad } = describeStockWorld();
	const [pool] = bad.blocking.pools;
	if (!pool) throw new Error("the blocking token has no pool");
	const abi = stockAbi;
	return [
		{
			to: bad.taxed.address,
			data: encodeFunctionData({ abi, functionName: "setFee", args: [BAD_FEE_BPS] }),
		},
		{
			to: bad.paused.address,
			data: encodeFunctionData({ abi, functionName: "setPaused", args: [true] }),
		},
		{
			to: bad.blocking.address,
			data: encodeFunctionData({ abi, functionName: "setBlocked", args: [pool.address, true] }),
		},
		{
			to: bad.rebasing.address,
			data: encodeFunctionData({ abi, functionName: "rebase", args: [REBASED] }),
		},
	];
}

function v4Openings(prices: Prices): SenderTx[] {
	const all = [
		...v4OpeningsOf(honestV4Pools(), { prices, isDecoy: false }),
		...v4OpeningsOf(decoyPools(), { prices, isDecoy: true }),
	];
	const txs: SenderTx[] = [];
	for (let at = 0; at < all.length; at += V4_POOLS_PER_TX) {
		const args = [all.slice(at, at + V4_POOLS_PER_TX)] as const;
		const data = encodeFunctionData({ abi: makerAbi, functionName: "openV4", args });
		txs.push({ to: maker, data });
	}
	return txs;
}

/** Mines blocks until each transaction has a receipt; with automatic mining, waits for receipts. */
async function mineAll(rpc: Rpc, sent: ReadonlyMap<Hex, RpcCall>): Promise<void> {
	const isAutomatic = (await rpc.call("anvil_getAutomine")) === true;
	let open = [...sent.keys()];
	for (let looks = 0; open.length > 0; looks++) {
		if (looks > LOOKS_MAX) throw new Error(`${open.length} transactions are not mined`);
		const receipts = await rpc.batch(open.map((hash) => asked("eth_getTransactionReceipt", hash)));
		const bad = open.filter((_, at) => Receipt.safeParse(receipts[at]).data?.status === "0x0");
		if (bad.length > 0) throw new Error(`${bad.length} transactions reverted, first ${bad[0]}`);
		open = open.filter((_, at) => receipts[at] === null);
		if (open.length === 0) return;
		// With automatic mining a block of ours is mostly empty; but other transactions may fill the
		// node's.
		const isStuck = looks % LOOKS_TILL_STUCK === LOOKS_TILL_STUCK - 1;
		if (isAutomatic && !isStuck) {
			await sleep(LOOK_EVERY_MS);
			continue;
		}
		if (isStuck) await sendLost(rpc, open, sent);
		await rpc.call("evm_mine", []);
	}
}

function asked(method: string, hash: Hex): RpcCall {
	return { method, params: [hash] };
}

/** Sends again what the node no longer has: with the same nonce, so it happens at most once. */
async function sendLost(
	rpc: Rpc,
	open: readonly Hex[],
	sent: ReadonlyMap<Hex, RpcCall>,
): Promise<void> {
	const held = await rpc.batch(open.map((hash) => asked("eth_getTransactionByHash", hash)));
	const lost = open.flatMap((hash, at) => (held[at] === null ? (sent.get(hash) ?? []) : []));
	if (lost.length > 0) await rpc.batch(lost);
}
