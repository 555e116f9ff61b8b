import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { PERMIT_CHARS_MAX, ROUTER_POOLS_MAX, ROUTER_WAYS_MAX } from "#plugins/trading/limits.ts";
import type { Hop, QuoteAsk, SourceRoute } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Pool } from "#plugins/trading/registry/Asset.ts";

const isLower = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const address = z
	.string()
	.regex(/^0x[0-9a-fA-F]{40}$/)
	.toLowerCase()
	.refine(isLower);
const raw = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/)
	.transform(BigInt);
const label = z.string().min(1).max(128);
const token = z.object({ address, chainId: z.int() });
const pool = z.object({
	type: z.enum(["v2-pool", "v3-pool", "v4-pool"]),
	address: z.string().max(66).optional(),
	tokenIn: token,
	tokenOut: token,
	fee: z.union([z.string().regex(/^\d{1,8}$/), z.int().min(0)]).optional(),
	amountIn: raw.optional(),
	amountOut: raw.optional(),
});

/** The members of the hosted router's quote that are read. All are compared with the request. */
export const hostedAnswer = z.object({
	requestId: label,
	routing: z.literal("CLASSIC"),
	permitData: z.record(z.string(), z.unknown()).nullish(),
	quote: z.object({
		chainId: z.int(),
		swapper: address,
		tradeType: z.enum(["EXACT_INPUT", "EXACT_OUTPUT"]),
		input: z.object({ token: address, amount: raw }),
		output: z.object({ token: address, amount: raw, recipient: address }),
		slippage: z.number(),
		quoteId: label,
		blockNumber: raw,
		route: z.array(z.array(pool).min(1).max(ROUTER_POOLS_MAX)).min(1).max(ROUTER_WAYS_MAX),
	}),
});

type Answer = z.output<typeof hostedAnswer>;
type Way = Answer["quote"]["route"][number];

/** The request to the router: the swap, and the slippage. */
export type HostedAsk = QuoteAsk & { slippagePercent: number };

/**
 * Compares an answer with the request, member by member, and returns its route; a text names the
 * contradiction. A route can be executed only if it is a single one over V3 pools configured here,
 * with the same tokens and fees; of all others only the price is used.
 */
export function readHosted(
	answer: Answer,
	{ ask, pools }: { ask: HostedAsk; pools: readonly Pool[] },
): SourceRoute | string {
	const { quote, requestId } = answer;
	const { input, output, route } = quote;
	const flaw = flawOf(answer, ask);
	if (flaw) return flaw;
	const [way, ...others] = route;
	const hops = way && others.length === 0 ? hopsOf(way, pools) : null;
	const permit = JSON.stringify(answer.permitData ?? null);
	return {
		hops,
		inRaw: input.amount,
		outRaw: output.amount,
		blockNumber: quote.blockNumber,
		impactBps: null,
		requestId,
		detail: {
			quoteId: quote.quoteId,
			permitData: permit.length <= PERMIT_CHARS_MAX ? (answer.permitData ?? null) : "(too long)",
			route: route.map((ways) => ways.map(({ type, address: at, fee }) => ({ type, at, fee }))),
		},
	};
}

function flawOf({ quote }: Answer, ask: HostedAsk): string | null {
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
		[quote.slippage === ask.slippagePercent, "slippage"],
		[route.every((way) => isChain(way, ask)), "route"],
		[sumOf(route, (way) => way.at(0)?.amountIn) === input.amount, "amounts that go in"],
		[sumOf(route, (way) => way.at(-1)?.amountOut) === output.amount, "amounts that come out"],
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

/** Returns the route as configured pools; null where one of them is not configured. */
function hopsOf(way: Way, pools: readonly Pool[]): Hop[] | null {
	const hops: Hop[] = [];
	for (const { type, address: at, fee, tokenIn, tokenOut } of way) {
		const found = pools.find(({ version, address: known, token0, token1, feeBps100 }) => {
			const [one, other] = [tokenIn.address, tokenOut.address];
			const isPair = (token0 === one && token1 === other) || (token0 === other && token1 === one);
			const isIt = version === "v3" && type === "v3-pool" && known === at?.toLowerCase();
			return isIt && isPair && String(feeBps100) === String(fee);
		});
		if (!found) return null;
		hops.push({
			version: "v3",
			...{ pool: found.address, tokenIn: tokenIn.address, tokenOut: tokenOut.address },
			fee: found.feeBps100,
		});
	}
	return hops;
}
