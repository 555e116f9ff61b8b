import { encodeAbiParameters, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { compileContracts } from "../compileContracts.ts";
import type { Rpc } from "../Rpc.ts";
import { createSender, type Send, type SenderTx } from "./createSender.ts";
import {
	deployedStocks,
	describeStockWorld,
	feedNames,
	openingsOf,
	type Prices,
} from "./describeStockWorld.ts";
import { decoyPools, honestV4Pools, hooks, v4OpeningsOf } from "./describeV4.ts";
import { placeContracts } from "./placeContracts.ts";
import { makerAbi, stockAbi, stockFactoryAbi, stockFeedAbi, uniswapAbi } from "./stockAbi.ts";
import { stockAddresses } from "./stockAddresses.ts";
import { uniswapBytecode } from "./uniswapBytecode.ts";

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

function hookWords(bps: number): Hex {
	const parts = [{ type: "address" }, { type: "uint256" }] as const;
	return encodeAbiParameters(parts, [v4Manager, BigInt(bps)]);
}

function words(...addresses: Hex[]): Hex {
	return encodeAbiParameters(
		addresses.map(() => ({ type: "address" })),
		addresses,
	);
}

function joined(creation: Hex, args: Hex): Hex {
	return `${creation}${args.slice(2)}`;
}
