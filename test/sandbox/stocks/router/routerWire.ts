// Describes the requests and answers of the hosted router that the emulator reads and gives.

import { z } from "zod";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const data = z.string().regex(/^0x([0-9a-f]{2})*$/);
/** An amount in base units. */
const raw = z.string().regex(/^(0|[1-9]\d*)$/);

/** Parses the body of `POST /quote`: the members that the emulator uses. Others are allowed. */
export const quoteRequest = z.looseObject({
	type: z.enum(["EXACT_INPUT", "EXACT_OUTPUT"]),
	amount: raw,
	tokenInChainId: z.coerce.number().int(),
	tokenOutChainId: z.coerce.number().int(),
	tokenIn: address,
	tokenOut: address,
	swapper: address,
	recipient: address.optional(),
	/** In per cent. */
	slippageTolerance: z.number().min(0).max(100).optional(),
	autoSlippage: z.literal("DEFAULT").optional(),
	permitAmount: z.enum(["FULL", "EXACT"]).default("FULL"),
});
export type QuoteRequest = z.output<typeof quoteRequest>;

const token = z.object({
	address,
	chainId: z.int(),
	symbol: z.string(),
	/** A text, like the real one's. */
	decimals: raw,
});

/** A pool of a route; only its two ends have amounts. */
const poolStep = z.object({
	type: z.enum(["v3-pool", "v4-pool"]),
	/** For V4 its id. */
	address: z.string().regex(/^0x([0-9a-fA-F]{40}|[0-9a-f]{64})$/),
	tokenIn: token,
	tokenOut: token,
	sqrtRatioX96: raw,
	liquidity: raw,
	tickCurrent: z.string(),
	/** In millionths. */
	fee: raw,
	amountIn: raw.optional(),
	amountOut: raw.optional(),
	/** For V4 only. */
	tickSpacing: z.string().optional(),
	hooks: address.optional(),
});
export type PoolStep = z.output<typeof poolStep>;

const permitData = z.object({
	domain: z.object({ name: z.literal("Permit2"), chainId: z.int(), verifyingContract: address }),
	types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
	values: z.object({
		details: z.object({ token: address, amount: raw, expiration: raw, nonce: raw }),
		spender: address,
		sigDeadline: raw,
	}),
});

const classicQuote = z.object({
	input: z.object({ token: address, amount: raw }),
	output: z.object({ token: address, amount: raw, recipient: address }),
	swapper: address,
	chainId: z.int(),
	/** In per cent. */
	slippage: z.number(),
	tradeType: z.enum(["EXACT_INPUT", "EXACT_OUTPUT"]),
	gasFee: raw,
	gasFeeUSD: z.string(),
	gasUseEstimate: raw,
	route: z.array(z.array(poolStep)),
	routeString: z.string(),
	quoteId: z.string(),
	blockNumber: raw,
	/** In per cent. */
	priceImpact: z.number(),
	txFailureReasons: z.array(z.string()),
	aggregatedOutputs: z.array(
		z.object({ token: address, amount: raw, recipient: address, bps: z.int(), minAmount: raw }),
	),
	maxFeePerGas: raw,
	maxPriorityFeePerGas: raw,
});

/** The answer of `POST /quote` for a route of pools. */
export const quoteAnswer = z.object({
	requestId: z.string(),
	routing: z.literal("CLASSIC"),
	quote: classicQuote,
	permitData: permitData.nullable(),
});
export type QuoteAnswer = z.output<typeof quoteAnswer>;

/** The members of `POST /swap` that are read; it contains the quote. */
export const swapRequest = z.looseObject({
	quote: classicQuote,
	signature: z.string().optional(),
	permitData: permitData.optional(),
	/** Unix seconds. */
	deadline: z.int().optional(),
});

/** The answer of `POST /swap`. */
export const swapAnswer = z.object({
	requestId: z.string(),
	swap: z.object({ to: address, from: address, data, value: data, chainId: z.int() }),
	gasFee: raw,
});
export type SwapAnswer = z.output<typeof swapAnswer>;

/** The answer of `POST /check_approval`; null where no approval is needed. */
export const approvalAnswer = z.object({
	requestId: z.string(),
	approval: swapAnswer.shape.swap.nullable(),
	cancel: z.null(),
});
