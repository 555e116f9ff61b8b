// A market of stocks in memory: pools of Uniswap V3, their quoter, feeds, and a node that stalls.

import {
	decodeFunctionData,
	encodeAbiParameters,
	encodeFunctionResult,
	type Hex,
	numberToHex,
	parseAbi,
} from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";

/** A pool with its liquidity at any price: what it holds of both tokens, in base units. */
export type MarketPool = {
	address: Address;
	token0: Address;
	token1: Address;
	/** In hundredths of a basis point. */
	fee: number;
	raw0: bigint;
	raw1: bigint;
	/** The mean tick of its own history; null: it keeps one observation, so `observe` reverts. */
	meanTick: number | null;
	/** How much of its liquidity it had meanwhile, as a part of that; 1 unless it is named. */
	meanPart?: number;
};

export type MarketFeed = { usd: number; updatedAtMs: number; isDead: boolean };

/** Tokens by address: what a whole one is truly worth. The code under test never reads it. */
export type MarketToken = { address: Address; decimals: number; usd: number };

/** What a token's contract does, and what the wallet holds of it. */
export type MarketCode = {
	heldRaw: bigint;
	multiplier: bigint;
	/** Of what is transferred, so much does not arrive. */
	keptBps: number;
};

/** An honest token, of which the wallet has plenty. */
export const PLAIN_CODE: MarketCode = {
	...{ heldRaw: 10n ** 30n, multiplier: 10n ** 18n, keptBps: 0 },
};

export const MARKET_QUOTER: Address = `0x${"9".repeat(40)}`;

const abi = parseAbi([
	"function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)",
	"function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)",
	"function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
]);
const SLOT0 = "0x3850c7bd";
const LIQUIDITY = "0x1a686502";
const OBSERVE = "0x883bdbfd";
const LATEST_ROUND = "0xfeaf968c";
const DECIMALS = "0x313ce567";
const MULTIPLIER = "0xa60bf13d";
const BALANCE_OF = "0x70a08231";
const ALLOWANCE = "0xdd62ed3e";
const FEE_WHOLE = 1_000_000n;

/** Opens an empty market; a test puts tokens, pools and feeds into it. */
export function openPriceMarket() {
	const pools = new Map<Address, MarketPool>();
	const feeds = new Map<Address, MarketFeed>();
	const codes = new Map<Address, MarketCode>();
	const node = { stall: (_calls: readonly RpcCall[]) => false };

	function view(to: Address, data: Hex): Hex | null {
		if (to === MARKET_QUOTER) return quoteView(pools, data);
		const pool = pools.get(to);
		if (pool) return poolView(pool, data);
		const feed = feeds.get(to);
		if (feed) return feedView(feed, data);
		// No oracle is paused here, and no change announced: older tokens have no such view.
		const { multiplier, heldRaw } = codes.get(to) ?? PLAIN_CODE;
		if (data === MULTIPLIER) return numberToHex(multiplier, { size: 32 });
		if (data.startsWith(BALANCE_OF)) return numberToHex(heldRaw, { size: 32 });
		return data.startsWith(ALLOWANCE) ? numberToHex(2n ** 255n, { size: 32 }) : null;
	}

	const settle: Rpc["settle"] = async (calls) => {
		if (node.stall(calls)) throw rpcFault.transport({ detail: "stalled" });
		return calls.map(({ method, params }): RpcOutcome => {
			if (method === "eth_blockNumber") return { kind: "result", result: numberToHex(7) };
			if (method === "eth_getBalance") {
				return { kind: "result", result: numberToHex(PLAIN_CODE.heldRaw) };
			}
			const { to, data } = params[0] as { to: Address; data: Hex };
			const result = view(to, data);
			if (result !== null) return { kind: "result", result };
			return { kind: "fault", fault: rpcFault.refused({ detail: "execution reverted" }) };
		});
	};
	const rpc: Rpc = {
		settle,
		call: () => Promise.reject(new Error("nobody asks so")),
		batch: () => Promise.reject(new Error("nobody asks so")),
		distrust() {},
		stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
	};
	return { pools, feeds, codes, node, rpc };
}

/** Returns a pool at a price, as its tokens' dollars say, with so many dollars on each side. */
export function poolAt(
	address: Address,
	given: {
		one: MarketToken;
		other: MarketToken;
		fee: number;
		depthUsd: number;
		/** How many times too dear it has `one`. */
		skew?: number;
		/** How many times as deep it is around its price as at any price: positions end somewhere. */
		narrow?: number;
	},
): MarketPool {
	const { one, other, fee, depthUsd, skew = 1, narrow = 1 } = given;
	const rawOf = ({ decimals, usd }: MarketToken, times: number) => {
		const millionths = BigInt(Math.round(((depthUsd * narrow) / (usd * times)) * 1e6));
		return (millionths * 10n ** BigInt(decimals)) / 1_000_000n || 1n;
	};
	const [raw, otherRaw] = [rawOf(one, skew), rawOf(other, 1)];
	const isFirst = one.address < other.address;
	return {
		...{ address, fee, meanTick: null },
		token0: isFirst ? one.address : other.address,
		token1: isFirst ? other.address : one.address,
		raw0: isFirst ? raw : otherRaw,
		raw1: isFirst ? otherRaw : raw,
	};
}

/** Returns the tick of a pool's price. */
export function tickOf({ raw0, raw1 }: MarketPool): number {
	return Math.floor(Math.log(Number(raw1) / Number(raw0)) / Math.log(1.0001));
}

/** Returns the liquidity of a pool that has it at any price. */
export function liquidityOf({ raw0, raw1 }: MarketPool): bigint {
	return squareRoot(raw0 * raw1);
}

/** Returns what a pool gives for an exact input, as its swap would; null: it has too little. */
export function giveOf(pool: MarketPool, tokenIn: Address, inRaw: bigint): bigint | null {
	const [x, y] = tokenIn === pool.token0 ? [pool.raw0, pool.raw1] : [pool.raw1, pool.raw0];
	const net = (inRaw * (FEE_WHOLE - BigInt(pool.fee))) / FEE_WHOLE;
	const out = (y * net) / (x + net);
	return out > 0n ? out : null;
}

/** Returns what a pool takes for an exact output; null where it has too little. */
export function takeOf(pool: MarketPool, tokenIn: Address, outRaw: bigint): bigint | null {
	const [x, y] = tokenIn === pool.token0 ? [pool.raw0, pool.raw1] : [pool.raw1, pool.raw0];
	if (outRaw >= y) return null;
	const net = (x * outRaw) / (y - outRaw) + 1n;
	return (net * FEE_WHOLE) / (FEE_WHOLE - BigInt(pool.fee)) + 1n;
}

function quoteView(pools: ReadonlyMap<Address, MarketPool>, data: Hex): Hex | null {
	const { functionName, args } = decodeFunctionData({ abi, data });
	if (functionName === "observe") return null;
	const [path, amountRaw] = args;
	const steps = stepsOf(path);
	let raw: bigint | null = amountRaw;
	for (const [one, fee, other] of steps) {
		// An exact output is written from its end.
		const [tokenIn, tokenOut] = functionName === "quoteExactInput" ? [one, other] : [other, one];
		const pool = [...pools.values()].find(
			(own) =>
				own.fee === fee &&
				[own.token0, own.token1].includes(tokenIn) &&
				[own.token0, own.token1].includes(tokenOut),
		);
		if (!pool || raw === null) return null;
		raw =
			functionName === "quoteExactInput" ? giveOf(pool, tokenIn, raw) : takeOf(pool, tokenIn, raw);
	}
	if (raw === null) return null;
	return encodeFunctionResult({ abi, functionName, result: [raw, [], [], 0n] });
}

function stepsOf(path: Hex): [Address, number, Address][] {
	const steps: [Address, number, Address][] = [];
	for (let at = 2; at + 86 <= path.length; at += 46) {
		const fee = Number.parseInt(path.slice(at + 40, at + 46), 16);
		steps.push([`0x${path.slice(at, at + 40)}`, fee, `0x${path.slice(at + 46, at + 86)}`]);
	}
	return steps;
}

function poolView(pool: MarketPool, data: Hex): Hex | null {
	if (data.startsWith(OBSERVE)) {
		if (pool.meanTick === null) return null;
		const { args } = decodeFunctionData({ abi, data });
		const [seconds = 0] = args[0] as readonly number[];
		const held = BigInt(Math.floor(Number(liquidityOf(pool)) * (pool.meanPart ?? 1))) || 1n;
		const result = [
			[0n, BigInt(pool.meanTick) * BigInt(seconds)],
			[0n, (BigInt(seconds) << 128n) / held],
		] as const;
		return encodeFunctionResult({ abi, functionName: "observe", result });
	}
	if (data === LIQUIDITY) return numberToHex(liquidityOf(pool), { size: 32 });
	if (data !== SLOT0) return null;
	const types = ["uint160", "int24", "uint16", "uint16", "uint16", "uint8", "bool"] as const;
	const sqrtPriceX96 = squareRoot((pool.raw1 << 192n) / pool.raw0);
	return encodeAbiParameters(
		types.map((type) => ({ type })),
		[sqrtPriceX96, tickOf(pool), 0, 1, 1, 0, true],
	);
}

function feedView({ usd, updatedAtMs, isDead }: MarketFeed, data: Hex): Hex | null {
	if (isDead) return null;
	if (data === DECIMALS) return encodeAbiParameters([{ type: "uint8" }], [8]);
	if (data !== LATEST_ROUND) return null;
	const at = BigInt(Math.floor(updatedAtMs / 1_000));
	const types = Array.from({ length: 5 }, () => ({ type: "uint256" }));
	return encodeAbiParameters(types, [1n, BigInt(Math.round(usd * 1e8)), at, at, 1n]);
}

function squareRoot(of: bigint): bigint {
	if (of < 2n) return of;
	let root = 1n << BigInt((of.toString(2).length + 1) >> 1);
	for (;;) {
		const next = (root + of / root) >> 1n;
		if (next >= root) return root;
		root = next;
	}
}
