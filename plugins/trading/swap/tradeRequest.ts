import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const address = z.string().refine(isAddress);
const raw = z.string().regex(/^(0|[1-9]\d{0,77})$/);
const denial = z.object({ code: z.string(), detail: z.string() });
const currency = z.object({
	/** The zero address means the chain's own coin. */
	address,
	symbol: z.string(),
	decimals: z.int(),
});
const hop = z.object({
	version: z.literal("v3"),
	pool: address,
	tokenIn: address,
	tokenOut: address,
	fee: z.int(),
});

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
});

/** A swap, and the bounds that apply however often it is quoted again. */
const swap = z.object({
	kind: z.literal("swap"),
	tradeId: z.uuid(),
	/** Whether the asset is bought or sold. */
	side: z.enum(["buy", "sell"]),
	asset: address,
	sell: currency,
	buy: currency,
	exact: z.enum(["in", "out"]),
	amountRaw: raw,
	/** The least received, or the most spent. */
	limitRaw: raw,
	quoted,
	/** Its value in the coin where neither side has a price for limits: one stock for another. */
	worth: z.object({ currency: address, raw }).nullable().default(null),
	/** Why an operator must review it first; null: no review is needed. */
	review: denial.nullable(),
});

/** Refused before there was a quote; stored with its reason. */
const refused = z.object({ kind: z.literal("refused"), tradeId: z.uuid(), denial });

/** Stored only; nothing is sent for it. */
const hold = z.object({ kind: z.literal("hold"), tradeId: z.uuid() });

/** The part of a trade that is stored with its intent. */
export const tradeRequest = z.discriminatedUnion("kind", [swap, hold, refused]);

export type TradeRequest = z.output<typeof tradeRequest>;
export type SwapRequest = z.output<typeof swap>;
export type TradeCurrency = z.output<typeof currency>;

/** Returns the most spent and the least received, whatever is quoted later. */
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
