import { z } from "zod";
import { AMOUNT_CHARS_MAX, ASSET_CHARS_MAX } from "#plugins/trading/limits.ts";

const amount = z
	.string()
	.min(1)
	.max(AMOUNT_CHARS_MAX)
	.meta({ description: "How much, as a plain decimal.", examples: ["50"] });
const asset = z
	.string()
	.min(1)
	.max(ASSET_CHARS_MAX)
	.meta({ description: "A ticker, `$` before it or not, or an address.", examples: ["TSLA"] });
const settlement = z
	.string()
	.min(1)
	.max(ASSET_CHARS_MAX)
	.meta({
		description: "ETH, WETH or USDG, or another token that a configured pool holds.",
		examples: ["USDG"],
	});
const percent = z
	.int()
	.min(1)
	.max(100)
	.meta({
		description: "So much of what the wallet holds, rounded down; 100 is all of it.",
		examples: [50],
	});

/**
 * The trade that a command requests. Strict: ignoring an unknown member could trade something else.
 */
export const tradeWish = z.discriminatedUnion("kind", [
	z.strictObject({ kind: z.literal("buy_with"), asset, spend: amount, settlement }),
	z.strictObject({ kind: z.literal("buy"), asset, quantity: amount, settlement }),
	z.strictObject({ kind: z.literal("sell"), asset, quantity: amount, settlement }),
	z.strictObject({ kind: z.literal("sell_share"), asset, percent, settlement }),
	z.strictObject({ kind: z.literal("hold"), asset }),
]);

export type TradeWish = z.output<typeof tradeWish>;

/** The settlement currency of a command that names none. */
export const SETTLEMENT_DEFAULT = "USDG";
