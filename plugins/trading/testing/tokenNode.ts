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
import { MULTICALL } from "#plugins/trading/settleViews.ts";

export type NodeToken = {
	symbol: string;
	decimals: number;
	isPaused?: boolean;
	oraclePaused?: boolean;
	multiplier?: bigint;
	next?: bigint;
	effectiveAtS?: number;
	balances?: Map<string, bigint>;
};

export type NodeFeedRound = { answer: bigint; updatedAtMs: number; decimals?: number };
export type NodePool = {
	token0: Address;
	token1: Address;
	fee: number;
	liquidity: bigint;
	sqrtPriceX96: bigint;
	/** Of what its liquidity promises it pays this part, in each token; 1 unless it is named. */
	pays0?: number;
	pays1?: number;
};

export const NODE_QUOTER: Address = `0x${"9".repeat(40)}`;

const AT = numberToHex(7);
const abi = parseAbi([
	"struct Call3 { address target; bool allowFailure; bytes callData; }",
	"struct Result { bool success; bytes returnData; }",
	"function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);

/** Makes a node with stock tokens, feeds and pools, whose failures the test sets. */
export function createTokenNode(nowMs: () => number) {
	const tokens = new Map<string, NodeToken>();
	const feeds = new Map<string, NodeFeedRound>();
	const pools = new Map<string, NodePool>();
	const coins = new Map<string, bigint>();
	const asked: RpcCall[][] = [];
	const faults = { isDown: false, lacksBlock: false, answers: new Map<string, Hex>() };

	function view(to: string, data: string): Hex | null {
		const selector = data.slice(0, 10);
		const forced = faults.answers.get(`${to}:${selector}`);
		if (forced !== undefined) return forced;
		const feed = feeds.get(to);
		if (feed) return feedView(feed, selector);
		const pool = pools.get(to);
		if (pool) return poolView(pool, selector);
		if (selector === "0x1698ee82") return factoryView(pools, data);
		if (to === NODE_QUOTER) return quoterView(pools, data);
		const token = tokens.get(to);
		return token ? tokenView(token, { selector, data, nowMs: nowMs() }) : "0x";
	}

	function answer({ method, params }: RpcCall): unknown {
		const [first] = params;
		if (method === "eth_getBlockByNumber") {
			return { number: AT, timestamp: numberToHex(Math.floor(nowMs() / 1_000)) };
		}
		if (faults.lacksBlock) return null;
		if (method === "eth_getCode") {
			const isThere = tokens.has(String(first)) || feeds.has(String(first));
			return isThere ? "0x6001" : "0x";
		}
		if (method === "eth_getBalance") return numberToHex(coins.get(String(first)) ?? 0n);
		const { to, data } = first as { to: string; data: Hex };
		return to === MULTICALL ? together(data) : view(to, data);
	}

	/** Answers like Multicall3: a reverting call does not stop the others. */
	function together(data: Hex): Hex {
		const { args } = decodeFunctionData({ abi, data });
		const result = args[0].map(({ target, callData }) => {
			const to = target.toLowerCase();
			const owner = `0x${callData.slice(-40)}`;
			const answer = to === MULTICALL ? word(coins.get(owner) ?? 0n) : view(to, callData);
			return { success: answer !== null, returnData: answer ?? ("0x" as const) };
		});
		return encodeFunctionResult({ abi, functionName: "aggregate3", result });
	}

	const settle: Rpc["settle"] = async (calls) => {
		if (faults.isDown) throw rpcFault.transport({ detail: "down" });
		asked.push([...calls]);
		return calls.map((call): RpcOutcome => {
			const result = answer(call);
			if (result !== null) return { kind: "result", result };
			return { kind: "fault", fault: rpcFault.refused({ detail: "execution reverted" }) };
		});
	};
	const rpc: Rpc = {
		settle,
		async call(call) {
			const [outcome] = await settle([call]);
			if (outcome?.kind === "result") return outcome.result;
			throw outcome?.fault ?? rpcFault.transport({ detail: "down" });
		},
		batch: () => Promise.reject(new Error("nobody asks so")),
		distrust() {},
		stats: () => ({ requests: asked.length, calls: 0, bytes: 0 }),
	};
	return { rpc, tokens, feeds, pools, coins, asked, faults };
}

export type TokenNode = ReturnType<typeof createTokenNode>;

type Asked = { selector: string; data: string; nowMs: number };

function tokenView(token: NodeToken, { selector, data, nowMs }: Asked): Hex | null {
	const { multiplier, next = multiplier ?? 0n, effectiveAtS = 0 } = token;
	switch (selector) {
		case "0x95d89b41":
			return encodeAbiParameters([{ type: "string" }], [token.symbol]);
		case "0x313ce567":
			return word(BigInt(token.decimals));
		case "0x5c975abb":
			return word(token.isPaused ? 1n : 0n);
		case "0x7706ba52":
			return token.oraclePaused === undefined ? null : word(token.oraclePaused ? 1n : 0n);
		case "0xa60bf13d":
			if (multiplier === undefined) return null;
			return word(nowMs / 1_000 >= effectiveAtS ? next : multiplier);
		case "0xdc767007":
			return multiplier === undefined ? null : word(next);
		case "0x97a4064f":
			return multiplier === undefined ? null : word(BigInt(effectiveAtS));
		case "0x70a08231":
			return word(token.balances?.get(`0x${data.slice(-40)}`) ?? 0n);
		default:
			return null;
	}
}

function feedView({ answer, updatedAtMs, decimals = 8 }: NodeFeedRound, selector: string) {
	if (selector === "0x313ce567") return word(BigInt(decimals));
	if (selector !== "0xfeaf968c") return null;
	const at = BigInt(Math.floor(updatedAtMs / 1_000));
	const words = [1n, answer, at, at, 1n].map((value) => word(value).slice(2));
	const round: Hex = `0x${words.join("")}`;
	return round;
}

function poolView(pool: NodePool, selector: string): Hex | null {
	switch (selector) {
		case "0x3850c7bd":
			return `${word(pool.sqrtPriceX96)}${word(0n).slice(2).repeat(6)}`;
		case "0x1a686502":
			return word(pool.liquidity);
		default:
			return null;
	}
}

/** Answers `getPool(token0, token1, fee)` as Uniswap's factory does. */
function factoryView(pools: ReadonlyMap<string, NodePool>, data: string): Hex {
	for (const [address, pool] of pools) {
		const [token0, token1] = [34, 98].map((at) => `0x${data.slice(at, at + 40)}`);
		const fee = Number(`0x${data.slice(138)}`);
		if (pool.token0 === token0 && pool.token1 === token1 && pool.fee === fee) {
			return word(BigInt(address));
		}
	}
	return word(0n);
}

/** Answers `quoteExactInputSingle` as Uniswap's quoter does, for pools of one liquidity. */
function quoterView(pools: ReadonlyMap<string, NodePool>, data: string): Hex | null {
	const words = Array.from({ length: 4 }, (_, at) => data.slice(10 + 64 * at, 74 + 64 * at));
	const [tokenIn, , amount, fee] = words.map((text) => BigInt(`0x${text}`));
	const pool = [...pools.values()].find((one) => BigInt(one.fee) === fee);
	if (!pool || !amount) return null;
	const { liquidity, sqrtPriceX96, pays0 = 1, pays1 = 1 } = pool;
	const held = [(liquidity << 96n) / sqrtPriceX96, (liquidity * sqrtPriceX96) >> 96n] as const;
	const isZeroIn = BigInt(pool.token0) === tokenIn;
	const [own, other] = isZeroIn ? held : [held[1], held[0]];
	const net = (amount * BigInt(1_000_000 - pool.fee)) / 1_000_000n;
	const part = BigInt(Math.round((isZeroIn ? pays1 : pays0) * 100));
	const outRaw = (((other * net) / (own + net)) * part) / 100n;
	return `${word(outRaw)}${word(0n).slice(2).repeat(3)}`;
}

function word(value: bigint): Hex {
	return `0x${BigInt.asUintN(256, value).toString(16).padStart(64, "0")}`;
}
