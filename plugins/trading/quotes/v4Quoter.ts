// Quotes swaps through configured pools of Uniswap V4, to compare prices.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { HOPS_MAX, ROUTES_MAX } from "#plugins/trading/limits.ts";
import type { QuoteAsk, QuoteSource } from "#plugins/trading/quotes/QuoteSource.ts";

/** A V4 pool, identified by its key; its two currencies in any order. */
type V4Pool = {
	/** The zero address means the native coin. */
	tokens: readonly [Address, Address];
	fee: number;
	tickSpacing: number;
	/** The zero address means no hooks; others are used only if the configuration names them. */
	hooks: Address;
};

/** Holds one pool on a route. */
type V4Hop = Omit<V4Pool, "tokens"> & { tokenIn: Address; tokenOut: Address };

type V4QuoterDeps = {
	rpc: Pick<Rpc, "settle">;
	/** The address of Uniswap's V4Quoter. */
	quoter: Address;
	pools: readonly V4Pool[];
};

const abi = parseAbi([
	"struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }",
	"struct Exact { address exactCurrency; PathKey[] path; uint128 exactAmount; }",
	"function quoteExactInput(Exact params) returns (uint256 amountOut, uint256 gasEstimate)",
	"function quoteExactOutput(Exact params) returns (uint256 amountIn, uint256 gasEstimate)",
]);
const UINT128_BOUND = 2n ** 128n;

/**
 * Makes the source that quotes configured V4 pools with Uniswap's V4 quoter. Its answer is compared
 * and recorded, and never executed.
 */
export function createV4Quoter({ rpc, quoter, pools }: V4QuoterDeps): QuoteSource {
	return {
		name: "local_v4",
		async ask(ask, signal) {
			const { exact, amountRaw } = ask;
			const ways = waysOf(pools, currenciesOf(ask));
			if (ways.length === 0 || amountRaw >= UINT128_BOUND) throw tradeFault.noRoute();
			const calls = ways.map((hops) => callOf(quoter, { hops, exact, amountRaw }));
			const head: RpcCall = { method: "eth_blockNumber", params: [] };
			const [block, ...outcomes] = await rpc.settle([head, ...calls], { signal, inOrder: true });
			let best: { hops: readonly V4Hop[]; raw: bigint } | null = null;
			let isUnread = false;
			for (const [index, outcome] of outcomes.entries()) {
				const raw = rawOf(outcome, exact);
				const hops = ways[index];
				isUnread ||= raw === "unread";
				if (!hops || raw === null || raw === "unread" || raw === 0n) continue;
				const isBetter = best === null || (exact === "in" ? raw > best.raw : raw < best.raw);
				if (isBetter) best = { hops, raw };
			}
			// What cannot be read is no "no way": a source that does not say so is silent.
			if (!best && isUnread) {
				throw tradeFault.chainUnavailable({ detail: "no quote of V4 can be read" });
			}
			if (!best) throw tradeFault.noRoute({ detail: "no V4 pool gives anything for that" });
			const { hops, raw } = best;
			return {
				hops: null,
				inRaw: exact === "in" ? amountRaw : raw,
				outRaw: exact === "in" ? raw : amountRaw,
				blockNumber: blockOf(block),
				...{ impactBps: null, requestId: null },
				detail: { version: "v4", hops },
			};
		},
	};
}

/**
 * Returns the currencies of both ends: in V4 the coin itself has pools, beside its wrapped form.
 */
function currenciesOf({ tokenIn, tokenOut, isNativeIn, isNativeOut }: QuoteAsk) {
	return {
		from: isNativeIn ? [ZERO_ADDRESS, tokenIn] : [tokenIn],
		to: isNativeOut ? [ZERO_ADDRESS, tokenOut] : [tokenOut],
	};
}

/** Returns all routes with at most `HOPS_MAX` pools, the short ones first. */
function waysOf(
	pools: readonly V4Pool[],
	{ from, to }: { from: readonly Address[]; to: readonly Address[] },
): V4Hop[][] {
	const found: V4Hop[][] = [];
	let open = from.map((token): { at: Address; hops: V4Hop[] } => ({ at: token, hops: [] }));
	for (let hop = 0; hop < HOPS_MAX && found.length < ROUTES_MAX; hop++) {
		const next: typeof open = [];
		for (const { at, hops } of open) {
			for (const { tokens, ...terms } of pools) {
				const [one, other] = tokens;
				if (at !== one && at !== other) continue;
				const tokenOut = at === one ? other : one;
				if (hops.some(({ tokenIn }) => tokenIn === tokenOut)) continue;
				const way = [...hops, { tokenIn: at, tokenOut, ...terms }];
				if (to.includes(tokenOut)) found.push(way);
				else next.push({ at: tokenOut, hops: way });
			}
		}
		open = next.slice(0, ROUTES_MAX);
	}
	return found.slice(0, ROUTES_MAX);
}

function callOf(
	to: Address,
	given: { hops: readonly V4Hop[]; exact: "in" | "out"; amountRaw: bigint },
): RpcCall {
	const { hops, exact, amountRaw: exactAmount } = given;
	const isIn = exact === "in";
	const path = hops.map(({ tokenIn, tokenOut, fee, tickSpacing, hooks }) => ({
		intermediateCurrency: isIn ? tokenOut : tokenIn,
		...{ fee, tickSpacing, hooks, hookData: "0x" as const },
	}));
	const ends = isIn ? hops[0]?.tokenIn : hops.at(-1)?.tokenOut;
	const args = [{ exactCurrency: ends ?? ZERO_ADDRESS, path, exactAmount }] as const;
	const functionName = isIn ? "quoteExactInput" : "quoteExactOutput";
	const data = encodeFunctionData({ abi, functionName, args });
	return { method: "eth_call", params: [{ to, data }, "latest"] };
}

function rawOf(outcome: RpcOutcome, exact: "in" | "out"): bigint | "unread" | null {
	if (outcome.kind === "fault") {
		if (outcome.fault.code === "rpc_refused") return null;
		throw outcome.fault;
	}
	if (!isBytes(outcome.result)) return "unread";
	const functionName = exact === "in" ? "quoteExactInput" : "quoteExactOutput";
	try {
		return decodeFunctionResult({ abi, functionName, data: outcome.result })[0];
	} catch {
		return "unread";
	}
}

function blockOf(outcome: RpcOutcome | undefined): bigint {
	if (outcome?.kind === "fault") throw outcome.fault;
	const told = outcome?.result;
	if (typeof told === "string" && /^0x[0-9a-f]{1,16}$/i.test(told)) return BigInt(told);
	throw tradeFault.chainUnavailable({ detail: "the node does not say its block" });
}

const isBytes = (answer: unknown): answer is Hex =>
	typeof answer === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(answer);
