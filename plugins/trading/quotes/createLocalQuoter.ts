// Quotes swaps on chain, through the configured pools of Uniswap V3.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { HOPS_MAX, POOLS_PER_PAIR, ROUTES_MAX } from "#plugins/trading/limits.ts";
import {
	afterFees,
	alongRoute,
	lossBps,
	type Ratio,
	ratioAtSqrt,
	readSlot0,
	SLOT0,
} from "#plugins/trading/poolRatio.ts";
import {
	encodePath,
	type Hop,
	isBetter,
	type QuoteAsk,
	type QuoteSource,
	type SourceRoute,
} from "#plugins/trading/quotes/QuoteSource.ts";
import type { Pool } from "#plugins/trading/registry/createAssets.ts";

export type LocalQuoterDeps = {
	rpc: Pick<Rpc, "settle">;
	/** The address of Uniswap V3's QuoterV2. */
	quoter: Address;
	pools(): readonly Pool[];
	/** Tokens that a route may pass through. */
	connectors(): readonly Address[];
};

const quoterAbi = parseAbi([
	"function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)",
	"function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)",
]);

/** The lowest and highest price of V3, at which a swap stops that a pool cannot continue. */
const PRICE_ENDS: ReadonlySet<bigint> = new Set([
	4_295_128_740n,
	1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n,
]);

const NOTHING_GIVEN =
	"Pools that are configured here lead there, and none of them gives anything for that now: a " +
	"token is paused or may not be moved, or it is too little.";

const isBytes = (answer: unknown): answer is Hex =>
	typeof answer === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(answer);

/**
 * Makes the source that quotes on chain: Uniswap's own quoter simulates every route through
 * configured pools, and the best one is returned with its price impact. Failing routes are skipped;
 * throws `no_route` where all fail.
 */
export function createLocalQuoter(deps: LocalQuoterDeps): QuoteSource {
	return {
		name: "local",
		async ask(ask, signal) {
			const connectors = deps.connectors();
			const routes = findRoutes(deps.pools(), { ...ask, connectors });
			if (routes.length === 0) throw tradeFault.noRoute();
			const best = await bestOf(deps, { ask, routes, signal });
			// What cannot be read is no "no way": a source that does not say so is silent.
			if (best === "unread") throw tradeFault.chainUnavailable({ detail: "no quote can be read" });
			if (best === "exhausted") throw tradeFault.liquidityInsufficient();
			if (best === "dust") throw tradeFault.amountInvalid();
			if (!best) throw tradeFault.noRoute({ public: NOTHING_GIVEN });
			return withImpact(deps, best, signal);
		},
	};
}

/**
 * Returns the routes from one token to another through configured pools: directly, or through the
 * connectors. Routes with few and liquid pools come first, at most `ROUTES_MAX`: each costs a call.
 */
export function findRoutes(
	pools: readonly Pool[],
	{
		tokenIn,
		tokenOut,
		connectors,
	}: { tokenIn: Address; tokenOut: Address; connectors: readonly Address[] },
): Hop[][] {
	if (tokenIn === tokenOut) return [];
	const between = connectors.filter((token) => token !== tokenIn && token !== tokenOut);
	const ways = orderedSubsets(between, HOPS_MAX - 1).map((middle) => [
		tokenIn,
		...middle,
		tokenOut,
	]);
	const routes = ways
		.sort((one, other) => one.length - other.length)
		.flatMap((tokens) => routesOver(pools, tokens));
	return routes.slice(0, ROUTES_MAX);
}

/**
 * Quotes one route again, at the newest block, with its price impact; null where it does not work.
 * For a route that another source found.
 */
export async function quoteRoute(
	deps: Pick<LocalQuoterDeps, "rpc" | "quoter">,
	given: { ask: QuoteAsk; hops: readonly Hop[]; signal: AbortSignal },
): Promise<SourceRoute | null> {
	const route = await bestOf(deps, { ...given, routes: [given.hops] });
	if (route === null || typeof route === "string") return null;
	return withImpact(deps, route, given.signal);
}

/**
 * Returns the best route; `exhausted`: pools of all that give something end before it. `dust`: some
 * work, and give nothing for so little. `unread`: the node's answer to some is none, and no other
 * works.
 */
async function bestOf(
	{ rpc, quoter }: Pick<LocalQuoterDeps, "rpc" | "quoter">,
	given: { ask: QuoteAsk; routes: readonly (readonly Hop[])[]; signal: AbortSignal },
): Promise<SourceRoute | "exhausted" | "dust" | "unread" | null> {
	const { ask, routes, signal } = given;
	const { exact, amountRaw } = ask;
	const calls = routes.map((hops) => quoteCall(quoter, { hops, exact, amountRaw }));
	// The block comes first: the node answers in order, so no quote is older than this block.
	const head: RpcCall = { method: "eth_blockNumber", params: [] };
	const [block, ...outcomes] = await rpc.settle([head, ...calls], { signal, inOrder: true });
	const blockNumber = blockOf(block);
	let best: SourceRoute | null = null;
	let isExhausted = false;
	let isDust = false;
	let isUnread = false;
	for (const [index, outcome] of outcomes.entries()) {
		const hops = routes[index];
		const raw = amountOf(outcome, exact);
		if (raw === 0n) isDust = true;
		if (!hops || raw === null || raw === 0n) continue;
		if (typeof raw === "string") {
			isExhausted ||= raw === "exhausted";
			isUnread ||= raw === "unread";
			continue;
		}
		const found: SourceRoute = {
			hops,
			inRaw: exact === "in" ? amountRaw : raw,
			outRaw: exact === "in" ? raw : amountRaw,
			...{ blockNumber, impactBps: null, requestId: null },
			detail: { quoter, waysTried: routes.length },
		};
		if (best === null || isBetter(found, best, exact)) best = found;
	}
	if (best !== null || isUnread) return best ?? "unread";
	return isExhausted ? "exhausted" : isDust ? "dust" : null;
}

function quoteCall(
	to: Address,
	{ hops, exact, amountRaw }: { hops: readonly Hop[]; exact: "in" | "out"; amountRaw: bigint },
): RpcCall {
	const functionName = exact === "in" ? "quoteExactInput" : "quoteExactOutput";
	const args = [encodePath(hops, exact), amountRaw] as const;
	const data = encodeFunctionData({ abi: quoterAbi, functionName, args });
	return view(to, data);
}

function blockOf(outcome: RpcOutcome | undefined): bigint {
	if (outcome?.kind === "fault") throw outcome.fault;
	const told = outcome?.result;
	if (typeof told !== "string" || !/^0x[0-9a-f]{1,16}$/i.test(told)) {
		throw tradeFault.chainUnavailable({ detail: "the node does not say its block" });
	}
	return BigInt(told);
}

/**
 * Returns the quoted amount; null where the route does not work: a pool is paused, or missing.
 * `exhausted`: a pool came to the end of its prices, so it does not take all of it. `unread`: it is
 * no answer of the quoter.
 */
function amountOf(
	outcome: RpcOutcome,
	exact: "in" | "out",
): bigint | "exhausted" | "unread" | null {
	if (outcome.kind === "fault") {
		if (outcome.fault.code === "rpc_refused") return null;
		throw outcome.fault;
	}
	if (!isBytes(outcome.result)) return "unread";
	const functionName = exact === "in" ? "quoteExactInput" : "quoteExactOutput";
	try {
		const [raw, pricesAfter] = decodeFunctionResult({
			...{ abi: quoterAbi, functionName, data: outcome.result },
		});
		return pricesAfter.some((price) => PRICE_ENDS.has(price)) ? "exhausted" : raw;
	} catch {
		return "unread";
	}
}

/**
 * Adds the price impact of a route, in basis points, rounded up: how much worse its price is than
 * the current price of its pools, after their fees. So it is known for the smallest amount too.
 * Null where a pool's price cannot be read.
 */
async function withImpact(
	{ rpc }: Pick<LocalQuoterDeps, "rpc">,
	route: SourceRoute,
	signal: AbortSignal,
): Promise<SourceRoute> {
	const hops = route.hops ?? [];
	try {
		const calls = hops.map(({ pool }) => view(pool, SLOT0));
		const fair = fairOf(hops, await rpc.settle(calls, { signal }));
		return fair === null ? route : { ...route, impactBps: lossBps(route, afterFees(fair, hops)) };
	} catch {
		signal.throwIfAborted();
		// The price may still be known from elsewhere: what is not known decides as unknown.
		return route;
	}
}

function fairOf(hops: readonly Hop[], outcomes: readonly RpcOutcome[]): Ratio | null {
	const ratios: Ratio[] = [];
	for (const [index, hop] of hops.entries()) {
		const outcome = outcomes[index];
		const slot0 = outcome?.kind === "result" ? readSlot0(outcome.result) : null;
		if (!slot0) return null;
		ratios.push(ratioAtSqrt(hop, slot0.sqrtPriceX96));
	}
	return ratios.length === 0 ? null : alongRoute(ratios);
}

function view(to: Address, data: Hex): RpcCall {
	return { method: "eth_call", params: [{ to, data }, "latest"] };
}

/** Returns all ordered selections of at most `sizeMax` items, the empty one first. */
function orderedSubsets(items: readonly Address[], sizeMax: number): Address[][] {
	if (sizeMax === 0) return [[]];
	const longer = items.flatMap((first) => {
		const rest = items.filter((item) => item !== first);
		return orderedSubsets(rest, sizeMax - 1).map((others) => [first, ...others]);
	});
	return [[], ...longer];
}

function routesOver(pools: readonly Pool[], tokens: readonly Address[]): Hop[][] {
	let routes: Hop[][] = [[]];
	for (const [index, tokenOut] of tokens.slice(1).entries()) {
		const tokenIn = tokens[index];
		if (tokenIn === undefined) return [];
		const hops = poolsOf(pools, tokenIn, tokenOut).map(
			({ address, feeBps100 }): Hop => ({
				version: "v3",
				...{ pool: address, tokenIn, tokenOut, fee: feeBps100 },
			}),
		);
		routes = routes.flatMap((route) => hops.map((hop) => [...route, hop]));
	}
	return routes;
}

function poolsOf(pools: readonly Pool[], one: Address, other: Address): Pool[] {
	return pools
		.filter(({ version, token0, token1 }) => {
			const isPair = (token0 === one && token1 === other) || (token0 === other && token1 === one);
			return version === "v3" && isPair;
		})
		.slice(0, POOLS_PER_PAIR);
}
