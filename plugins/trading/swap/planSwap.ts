// Defines what is stored of a swap, and derives its bounds and what its owner is shown.

import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { addressSchema } from "#core/chain/hexSchemas.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import { mulDiv } from "#core/money.ts";
import { BPS, QUOTE_LIFETIME_MS } from "#plugins/trading/limits.ts";
import type { PoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import { type PriceBounds, priceLine } from "#plugins/trading/prices/judgePrice.ts";
import type { PickedRoute, Quoting } from "#plugins/trading/quotes/createQuoting.ts";
import type { QuoteAsk, SourceAnswer } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Assets, Eligibility, Reference } from "#plugins/trading/registry/createAssets.ts";
import { amountText, inBoth } from "#plugins/trading/shares.ts";
import type { QuoteRow } from "#plugins/trading/sql/trades.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

/** Bounds of the deployment's configuration. */
type TradeBounds = PriceBounds & {
	slippageBps: number;
	divergenceBpsMax: number;
	/** The least liquidity in microdollars; null: none is configured. */
	minLiquidityUsdMicros: bigint | null;
};

/** The dependencies of trades. */
export type SwapDeps = {
	clock: Clock;
	log: Log;
	db: Queryable;
	rpc: Rpc;
	chainId: number;
	/** The address of Uniswap's SwapRouter02, the only contract that swaps are sent to. */
	router: Address;
	/** The address of the wrapped coin, which replaces the coin in routes. */
	wrapped: Address;
	bounds: TradeBounds;
	quoting: Quoting;
	assets: Assets;
	eligibility: Eligibility;
	reference: Reference & Pick<References, "word">;
	/** Reads the average prices of pools. */
	averages: PoolAverages;
	/** Returns whether operators require deep pools, by the setting `enforce_min_liquidity`. */
	isLiquidityEnforced(): Promise<boolean>;
};

/** The quote that a trade's request was recorded with. */
export type QuotedSwap = SwapRequest["quoted"];

const shown = z.object({
	buy: z.string(),
	exact: z.enum(["in", "out"]),
	leastRaw: z.string().regex(/^\d+$/),
});

const raw = z.string().regex(/^(0|[1-9]\d{0,77})$/);
const figure = z.object({ value: z.string(), unit: z.string() });
const denial = z.object({
	...{ code: z.string(), detail: z.string(), action: z.string().optional() },
	...{ limit: figure.optional(), amount: figure.optional() },
});
const currency = z.object({
	/** The zero address means the chain's own coin. */
	address: addressSchema,
	symbol: z.string(),
	decimals: z.int(),
	/** Shares that one token showed as when it was asked for, times 1e18; null: it is no stock. */
	multiplier: raw.nullable().default(null),
});

export type TradeCurrency = z.output<typeof currency>;

const hop = z.object({
	version: z.literal("v3"),
	pool: addressSchema,
	tokenIn: addressSchema,
	tokenOut: addressSchema,
	fee: z.int(),
});

/** Parses the verdict on a trade's price. */
const price = z.object({
	/** `ask`: nothing sure says the price, and its owner is asked in figures. */
	kind: z.enum(["yes", "ask"]),
	from: z.array(z.enum(["feed", "last close", "pool"])),
	/** The amount that the exact one would give, or cost, at the fair price; null: unknown. */
	fairRaw: raw.nullable(),
	/** The least received, or the most spent, that is within the bounds of that price. */
	limitRaw: raw.nullable(),
	/** The value that is counted where no price is sure, in microdollars. */
	countedUsdMicros: raw.nullable(),
});

export type StoredPrice = z.output<typeof price>;

/** A quoted route, and when it was requested. */
const quoted = z.object({
	source: z.string(),
	askedAtMs: z.int(),
	/** Names the block of the local quote; null if only the hosted router quoted. */
	blockNumber: raw.nullable(),
	inRaw: raw,
	outRaw: raw,
	hops: z.array(hop).min(1),
	impactBps: z.int().nullable(),
	divergenceBps: z.int().nullable(),
	missing: z.array(z.string()),
	/** Null: it was quoted before verdicts were stored. */
	price: price.nullable().default(null),
});

/** A swap, and the bounds that apply however often it is quoted again. */
const swap = z.object({
	kind: z.literal("swap"),
	tradeId: z.uuid(),
	/** Says whether the asset is bought or sold. */
	side: z.enum(["buy", "sell"]),
	asset: addressSchema,
	sell: currency,
	buy: currency,
	exact: z.enum(["in", "out"]),
	amountRaw: raw,
	/** The least received, or the most spent. */
	limitRaw: raw,
	quoted,
	/** The value in the coin where neither side has a price for limits: one stock for another. */
	worth: z.object({ currency: addressSchema, raw }).nullable().default(null),
	/** The reason for an operator's review; null: no review is needed. */
	review: denial.nullable(),
});

export type SwapRequest = z.output<typeof swap>;

/** Refused before there was a quote; stored with its reason. */
const refused = z.object({ kind: z.literal("refused"), tradeId: z.uuid(), denial });

/** Stored only; nothing is sent for it. */
const hold = z.object({ kind: z.literal("hold"), tradeId: z.uuid() });

/** The part of a trade that is stored with its intent. */
export const tradeRequest = z.discriminatedUnion("kind", [swap, hold, refused]);

export type TradeRequest = z.output<typeof tradeRequest>;

/** Returns the request to the quote sources: the coin is swapped in its wrapped form. */
export function askOf(
	{ chainId, wrapped }: Pick<SwapDeps, "chainId" | "wrapped">,
	swap: {
		sell: Pick<TradeCurrency, "address">;
		buy: Pick<TradeCurrency, "address">;
		exact: "in" | "out";
		amountRaw: bigint;
		taker: Address;
	},
): QuoteAsk {
	const { sell, buy, exact, amountRaw, taker } = swap;
	const tokenOf = (address: Address) => (address === ZERO_ADDRESS ? wrapped : address);
	return {
		...{ chainId, tokenIn: tokenOf(sell.address), tokenOut: tokenOf(buy.address) },
		...{ isNativeIn: sell.address === ZERO_ADDRESS, isNativeOut: buy.address === ZERO_ADDRESS },
		...{ exact, amountRaw, taker },
	};
}

/** Converts a chosen route to the form that is stored. */
export function quotedOf(
	{ source, askedAtMs, route, ...rest }: PickedRoute,
	price: StoredPrice | null,
): QuotedSwap {
	const { inRaw, outRaw, blockNumber, hops, impactBps } = route;
	const { divergenceBps, missing } = rest;
	return {
		...{ source, askedAtMs, impactBps, divergenceBps, missing: [...missing], hops: [...hops] },
		price,
		...{ inRaw: String(inRaw), outRaw: String(outRaw) },
		blockNumber: blockNumber === null ? null : String(blockNumber),
	};
}

/** Returns true if a quote is too old to be used. */
export function isStale({ askedAtMs }: Pick<QuotedSwap, "askedAtMs">, nowMs: number): boolean {
	return nowMs >= askedAtMs + QUOTE_LIFETIME_MS || nowMs < askedAtMs;
}

/** Returns the least received of an exact input, or the most spent for an exact output. */
export function limitFor(
	{ inRaw, outRaw }: { inRaw: bigint; outRaw: bigint },
	{ exact, slippageBps }: { exact: "in" | "out"; slippageBps: number },
): bigint {
	const slip = BigInt(slippageBps);
	// Rounded in the trader's favour: never less received, never more spent than the bound says.
	if (exact === "in") return mulDiv(outRaw, BPS - slip, BPS, "up");
	return mulDiv(inRaw, BPS + slip, BPS, "down");
}

/** Returns the stricter of two limits: more received at least, or less spent at most. */
export function stricterOf(exact: "in" | "out", one: bigint, other: bigint | null): bigint {
	if (other === null) return one;
	if (exact === "in") return other > one ? other : one;
	return other < one ? other : one;
}

/** Converts the sources' answers to rows that are recorded with a trade. */
export function quoteRows(
	answers: readonly SourceAnswer[],
	picked: PickedRoute | null,
): QuoteRow[] {
	return answers.map((answer) => {
		const { source } = answer;
		const askedAt = new Date(answer.askedAtMs);
		const isTaken = picked?.source === source;
		if (answer.kind === "none") {
			const { code, detail } = answer;
			return {
				...{ askedAt, source, isTaken: false, inRaw: null, outRaw: null, blockNumber: null },
				...{ impactBps: null, requestId: null, hops: null, code, detail: { detail } },
			};
		}
		const { inRaw, outRaw, blockNumber, impactBps, requestId, hops, detail } = answer.route;
		return {
			...{ askedAt, source, isTaken, inRaw, outRaw, blockNumber, impactBps, requestId, hops },
			...{ code: null, detail },
		};
	});
}

/**
 * Returns what the owner must know about a swap before they agree; later plans are compared with
 * it.
 */
export function shownSwap(
	request: SwapRequest,
	{ quoted, leastRaw, mostRaw }: { quoted: QuotedSwap; leastRaw: bigint; mostRaw: bigint },
): Plan["shown"] & { summary: string } {
	const { sell, buy, exact, side } = request;
	const { price } = quoted;
	const line = price && priceLine(price, { exact, leastRaw, mostRaw, sell, buy });
	const expected = { in: BigInt(quoted.inRaw), out: BigInt(quoted.outRaw) };
	const most = `${exact === "out" ? "at most " : ""}${amountText(mostRaw, sell)}`;
	const least = `${exact === "in" ? "at least " : ""}${amountText(leastRaw, buy)}`;
	const about =
		exact === "in"
			? `about ${amountText(expected.out, buy)} expected`
			: `about ${amountText(expected.in, sell)} expected`;
	return {
		action: side,
		summary: [`Swaps ${most} for ${least} (${about}) through Uniswap V3.`, line ?? []]
			.flat()
			.join(" "),
		price: line,
		...{ sell: sell.address, buy: buy.address, exact },
		...{ leastRaw: String(leastRaw), mostRaw: String(mostRaw) },
		expectedRaw: String(exact === "in" ? expected.out : expected.in),
		amounts: amountsOf(request, { inRaw: expected.in, outRaw: expected.out, leastRaw, mostRaw }),
		route: quoted.hops.map(({ pool, tokenIn, tokenOut, fee }) => ({
			pool,
			tokenIn,
			tokenOut,
			fee,
		})),
		quote: {
			...{ source: quoted.source, blockNumber: quoted.blockNumber },
			...{ impactBps: quoted.impactBps, divergenceBps: quoted.divergenceBps },
			...{ missing: quoted.missing, at: new Date(quoted.askedAtMs).toISOString() },
		},
	};
}

/** Returns the amounts of a swap as tokens and as shares, all by the one multiplier it stores. */
export function amountsOf(
	{ sell, buy }: Pick<SwapRequest, "sell" | "buy">,
	of: { inRaw: bigint; outRaw: bigint; leastRaw: bigint; mostRaw: bigint },
) {
	return {
		spent: inBoth(of.inRaw, sell),
		received: inBoth(of.outRaw, buy),
		leastReceived: inBoth(of.leastRaw, buy),
		mostSpent: inBoth(of.mostRaw, sell),
	};
}

/** Returns the part of a plan that a new plan is compared with; null for plans of other kinds. */
export function readShownSwap(of: Plan["shown"]): z.output<typeof shown> | null {
	return shown.safeParse(of).data ?? null;
}

/** Returns the most that is spent and the least that is received, for any later quote. */
export function boundsOf({
	exact,
	amountRaw,
	limitRaw,
}: Pick<SwapRequest, "exact" | "amountRaw" | "limitRaw">): { mostRaw: bigint; leastRaw: bigint } {
	const [amount, limit] = [BigInt(amountRaw), BigInt(limitRaw)];
	return exact === "in"
		? { mostRaw: amount, leastRaw: limit }
		: { mostRaw: limit, leastRaw: amount };
}
