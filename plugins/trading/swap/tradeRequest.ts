import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const address = z.string().refine(isAddress);
const raw = z.string().regex(/^(0|[1-9]\d{0,77})$/);
const denial = z.object({ code: z.string(), detail: z.string() });
const currency = z.object({
	/** The zero address is the chain's own coin. */
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

/** A way as it was quoted, and when. */
const quoted = z.object({
	source: z.string(),
	askedAtMs: z.int(),
	blockNumber: raw,
	inRaw: raw,
	outRaw: raw,
	hops: z.array(hop).min(1),
	impactBps: z.int().nullable(),
	divergenceBps: z.int().nullable(),
	missing: z.array(z.string()),
});

/** What is swapped, and the bounds that hold however often it is quoted again. */
const swap = z.object({
	kind: z.literal("swap"),
	tradeId: z.uuid(),
	/** Which side the asset is on. */
	side: z.enum(["buy", "sell"]),
	asset: address,
	sell: currency,
	buy: currency,
	exact: z.enum(["in", "out"]),
	amountRaw: raw,
	/** The least that is received, or the most that is spent. */
	limitRaw: raw,
	quoted,
	/** Why an operator looks at it first; null: nobody has to. */
	review: denial.nullable(),
});

/** Refused before there was anything to quote; kept with its reason. */
const refused = z.object({ kind: z.literal("refused"), tradeId: z.uuid(), denial });

/** Kept, and nothing is sent for it. */
const hold = z.object({ kind: z.literal("hold"), tradeId: z.uuid() });

/** What is stored of a trade with its intent. */
export const tradeRequest = z.discriminatedUnion("kind", [swap, hold, refused]);

export type TradeRequest = z.output<typeof tradeRequest>;
export type SwapRequest = z.output<typeof swap>;
export type TradeCurrency = z.output<typeof currency>;

/** The most that is spent and the least that is received, whatever is quoted later. */
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
