// Checks the hosted router's answers against what was asked.

import { encodeAbiParameters, getCreate2Address, keccak256 } from "viem";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";
import { BPS, ROUTER_POOLS_MAX, ROUTER_WAYS_MAX } from "#plugins/trading/limits.ts";
import type { Hop, QuoteAsk, SourceRoute } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Pool } from "#plugins/trading/registry/createAssets.ts";

/** Describes a pool as a router names it: its address, and the parts it is derived from. */
type NamedPool =
	| { type: "v3-pool"; address: string; fee: number }
	| { type: "v4-pool"; address: string; fee: number; tickSpacing: number; hooks: Address };

/** The request to the router: the swap, and the slippage. */
export type HostedAsk = QuoteAsk & { slippageBps: number };

/** Holds this deployment's pools, and the factory that made all V3 pools. */
export type HostedGround = { pools: readonly Pool[]; factory: Address };

type Way = Answer["quote"]["route"][number];

/** Holds the init code hash of Uniswap V3 pools, which is the same on all chains. */
const V3_CODE_HASH = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54";
const v3Parts = [{ type: "address" }, { type: "address" }, { type: "uint24" }] as const;
const v4Parts = [...v3Parts, { type: "int24" }, { type: "address" }] as const;

const address = anyCaseAddressSchema;
const raw = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/)
	.transform(BigInt);
/** Parses an id of the provider: any value of the right form is accepted. */
const id = z
	.string()
	.regex(/^[\x21-\x7e]{1,128}$/)
	.meta({ isOpaque: true });
/** Parses a number up to a bound, written as a number or as text: the API documents both. */
const small = (max: number) =>
	z
		.union([z.string().regex(/^\d{1,8}$/), z.int().min(0)])
		.transform(Number)
		.refine((value) => value <= max);
const fee = small(2 ** 24 - 1);
const tickSpacing = small(32_767);
const token = z.object({ address, chainId: z.int() });
const step = {
	tokenIn: token,
	tokenOut: token,
	amountIn: raw.optional(),
	amountOut: raw.optional(),
};
const pool = z.discriminatedUnion("type", [
	// Its tokens are all there is to it: what has a fee is a pool of another version.
	z.object({ ...step, type: z.literal("v2-pool"), fee: z.undefined().optional() }),
	z.object({ ...step, type: z.literal("v3-pool"), address, fee }),
	z.object({
		...{ ...step, type: z.literal("v4-pool"), address: z.string().regex(/^0x[0-9a-f]{64}$/i) },
		...{ fee, tickSpacing, hooks: address },
	}),
]);

/**
 * The members of the hosted router's quote that are read. All are compared with the request, with
 * each other, or with what follows from them. Members that could not be compared are not read: the
 * block (the chain says it), the id of the quote (the request's is stored), gas, and impact.
 */
export const hostedAnswer = z.object({
	requestId: id,
	routing: z.literal("CLASSIC"),
	/** Refuses an answer with a permit: none was requested, so it is null or left out. */
	permitData: z.null().default(null),
	quote: z.object({
		chainId: z.int(),
		swapper: address,
		tradeType: z.enum(["EXACT_INPUT", "EXACT_OUTPUT"]),
		input: z.object({ token: address, amount: raw }),
		output: z.object({ token: address, amount: raw, recipient: address }),
		slippage: z.number(),
		route: z.array(z.array(pool).min(1).max(ROUTER_POOLS_MAX)).min(1).max(ROUTER_WAYS_MAX),
		/** The outputs, exactly one: no integrator fee is requested, so all goes to the taker. */
		aggregatedOutputs: z
			.array(z.object({ token: address, amount: raw, recipient: address, minAmount: raw }))
			.length(1),
	}),
});

type Answer = z.output<typeof hostedAnswer>;

/**
 * Compares an answer with the request, member by member, and returns its route; a text names the
 * contradiction. A route can be executed only if it is a single one over V3 pools configured here,
 * with the same tokens and fees; of all others only the price is used.
 */
export function readHosted(
	answer: Answer,
	{ ask, pools, factory }: HostedGround & { ask: HostedAsk },
): SourceRoute | string {
	const { quote, requestId, permitData } = answer;
	const { input, output, route } = quote;
	const flaw = flawOf(quote, { ask, factory });
	if (flaw) return flaw;
	const [way, ...others] = route;
	const hops = way && others.length === 0 ? hopsOf(way, pools) : null;
	return {
		hops,
		inRaw: input.amount,
		outRaw: output.amount,
		blockNumber: null,
		impactBps: null,
		requestId,
		detail: { permitData, route: renderRoute(route) },
	};
}

/**
 * Returns true if this is the address of the pool with these tokens and this fee: for V3 the place
 * where the factory puts it, for V4 the hash of its key. So none of the parts can be changed alone.
 */
export function isPoolAddress(
	pool: NamedPool,
	{ tokens, factory }: { tokens: readonly [Address, Address]; factory: Address },
): boolean {
	const [one, other] = tokens;
	const [low, high] = one < other ? [one, other] : [other, one];
	return pool.address.toLowerCase() === addressOf(pool, { low, high, factory }).toLowerCase();
}

/** Returns the slippage in per cent, as the router takes and returns it. */
export function slippagePercent({ slippageBps }: Pick<HostedAsk, "slippageBps">): number {
	return slippageBps / 100;
}

function flawOf(
	quote: Answer["quote"],
	{ ask, factory }: { ask: HostedAsk; factory: Address },
): string | null {
	const { input, output, route } = quote;
	const tokenIn = ask.isNativeIn ? ZERO_ADDRESS : ask.tokenIn;
	const tokenOut = ask.isNativeOut ? ZERO_ADDRESS : ask.tokenOut;
	const given = ask.exact === "in" ? input.amount : output.amount;
	const checks: [boolean, string][] = [
		[quote.chainId === ask.chainId, "chainId"],
		[quote.swapper === ask.taker, "swapper"],
		[output.recipient === ask.taker, "recipient"],
		[quote.tradeType === (ask.exact === "in" ? "EXACT_INPUT" : "EXACT_OUTPUT"), "tradeType"],
		[input.token === tokenIn, "input token"],
		[output.token === tokenOut, "output token"],
		[given === ask.amountRaw, "amount"],
		[input.amount > 0n && output.amount > 0n, "an amount of zero"],
		[quote.slippage === slippagePercent(ask), "slippage"],
		[route.every((way) => isChain(way, ask)), "route"],
		[route.every((way) => way.every((pool) => isOwnAddress(pool, factory))), "pool"],
		[sumOf(route, (way) => way.at(0)?.amountIn) === input.amount, "amounts that go in"],
		[sumOf(route, (way) => way.at(-1)?.amountOut) === output.amount, "amounts that come out"],
		[isOutput(quote, ask), "outputs"],
	];
	return checks.find(([isRight]) => !isRight)?.[1] ?? null;
}

/** Returns true if each pool begins with the token that the pool before it ended with. */
function isChain(way: Way, ask: HostedAsk): boolean {
	const isNative = (token: Address) => token === ZERO_ADDRESS;
	const starts = (token: Address) => token === ask.tokenIn || (ask.isNativeIn && isNative(token));
	const ends = (token: Address) => token === ask.tokenOut || (ask.isNativeOut && isNative(token));
	return way.every(({ tokenIn, tokenOut, amountIn, amountOut }, index) => {
		const before = way[index - 1];
		const isFirst = before === undefined;
		const isLast = index === way.length - 1;
		return (
			tokenIn.chainId === ask.chainId &&
			tokenOut.chainId === ask.chainId &&
			(isFirst ? starts(tokenIn.address) : tokenIn.address === before.tokenOut.address) &&
			(!isLast || ends(tokenOut.address)) &&
			(isFirst || amountIn === undefined) &&
			(isLast || amountOut === undefined)
		);
	});
}

function isOwnAddress(pool: Way[number], factory: Address): boolean {
	if (pool.type === "v2-pool") return true;
	const tokens = [pool.tokenIn.address, pool.tokenOut.address] as const;
	return isPoolAddress(pool, { tokens, factory });
}

/** Adds the amounts of all routes; null where one has no amount. */
function sumOf(
	route: Answer["quote"]["route"],
	amountOf: (way: Way) => bigint | undefined,
): bigint | null {
	let sum = 0n;
	for (const way of route) {
		const amount = amountOf(way);
		if (amount === undefined || amount === 0n) return null;
		sum += amount;
	}
	return sum;
}

/**
 * Returns true if the listed output is the quote's own, to the taker, with the least amount that
 * follows from the slippage.
 */
function isOutput({ aggregatedOutputs, output }: Answer["quote"], ask: HostedAsk): boolean {
	return aggregatedOutputs.every(({ token: of, amount, recipient, minAmount }) => {
		const isToken = of === output.token || of === ask.tokenOut;
		const isWhole = recipient === ask.taker && amount === output.amount;
		return isToken && isWhole && minAmount > 0n && leastOf(amount, ask).includes(minAmount);
	});
}

/**
 * Returns the least amounts that the router may name for an output: that part taken off (as in its
 * answers), divided by one and that part (as Uniswap's SDK has it), or all of it (as for an exact
 * output). The least that is signed is none of them: it is our own.
 */
function leastOf(amount: bigint, { slippageBps }: HostedAsk): readonly bigint[] {
	const part = BigInt(slippageBps);
	return [(amount * (BPS - part)) / BPS, (amount * BPS) / (BPS + part), amount];
}

/** Returns the route as configured pools; null where one of them is not configured. */
function hopsOf(way: Way, pools: readonly Pool[]): Hop[] | null {
	const hops: Hop[] = [];
	for (const step of way) {
		if (step.type !== "v3-pool") return null;
		const { address: at, fee, tokenIn, tokenOut } = step;
		// Its tokens and fee follow from its address.
		const found = pools.find(({ address: known, feeBps100 }) => known === at && feeBps100 === fee);
		if (!found) return null;
		hops.push({
			version: "v3",
			...{ pool: found.address, tokenIn: tokenIn.address, tokenOut: tokenOut.address },
			fee: found.feeBps100,
		});
	}
	return hops;
}

/** Renders the ways for the record, in an order of our own: the router's order says nothing. */
function renderRoute(route: Answer["quote"]["route"]): Record<string, unknown>[][] {
	const text = (way: Record<string, unknown>[]) => JSON.stringify(way);
	return route
		.map((way) => way.map(renderStep))
		.sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

function renderStep(pool: Way[number]): Record<string, unknown> {
	const { type, tokenIn, tokenOut } = pool;
	const shown = { type, tokenIn: tokenIn.address, tokenOut: tokenOut.address };
	if (pool.type === "v2-pool") return shown;
	const { address: at, fee } = pool;
	return { ...shown, at, fee, ...(pool.type === "v4-pool" ? { hooks: pool.hooks } : {}) };
}

function addressOf(
	pool: NamedPool,
	{ low, high, factory }: { low: Address; high: Address; factory: Address },
): Hex {
	if (pool.type === "v3-pool") {
		const salt = keccak256(encodeAbiParameters(v3Parts, [low, high, pool.fee]));
		return getCreate2Address({ from: factory, salt, bytecodeHash: V3_CODE_HASH });
	}
	const { fee, tickSpacing, hooks } = pool;
	return keccak256(encodeAbiParameters(v4Parts, [low, high, fee, tickSpacing, hooks]));
}
