import { z } from "zod";
import { invalidTrade, tradeFault } from "#plugins/trading/faults.ts";
import { AMOUNT_CHARS_MAX, ASSET_CHARS_MAX, COMMAND_CHARS_MAX } from "#plugins/trading/limits.ts";
import { readTradeText } from "#plugins/trading/trade/readTradeText.ts";
import { SETTLEMENT_DEFAULT, type TradeWish } from "#plugins/trading/trade/TradeWish.ts";

const walletId = z
	.uuid()
	.optional()
	.meta({
		description: "Which of your wallets trades; the canonical one unless given.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	});
const asset = z
	.string()
	.min(1)
	.max(ASSET_CHARS_MAX)
	.meta({
		description: "A ticker, `$` before it or not, or an address.",
		examples: ["TSLA"],
	});
const amount = (description: string) =>
	z
		.string()
		.min(1)
		.max(AMOUNT_CHARS_MAX)
		.optional()
		.meta({ description, examples: ["50"] });
const settlement = z
	.string()
	.min(1)
	.max(ASSET_CHARS_MAX)
	.optional()
	.meta({
		description: `What it is paid with, or paid out in: ETH, WETH or USDG; ${SETTLEMENT_DEFAULT} unless given.`,
		examples: ["USDG"],
	});

const byCommand = z.strictObject({
	command: z
		.string()
		.max(COMMAND_CHARS_MAX)
		.meta({
			description: "One command, and nothing beside it.",
			examples: ["buy $TSLA with 50 USDG"],
		}),
	walletId,
});
const byForm = z.strictObject({
	action: z.enum(["buy", "sell", "hold"]).meta({ description: "What to do." }),
	asset,
	quantity: amount("How many of the asset, as a plain decimal."),
	spend: amount("For a buy in place of `quantity`: how much of the settlement to spend."),
	percent: z
		.int()
		.min(1)
		.max(100)
		.optional()
		.meta({
			description: "For a sell in place of `quantity`: so much of what the wallet holds.",
			examples: [50],
		}),
	settlement,
	walletId,
});

/** The body of a trade request: a command's text, or its parsed form. */
export const tradeBody = z
	.union([byCommand, byForm])
	.meta({ id: "TradeRequest", description: "A trade, as a command's text or as its parts." });

export type TradeBody = z.output<typeof tradeBody>;

/** Members whose numbers must not become doubles. */
export const exactTradeMembers = ["quantity", "spend"] as const;

/**
 * Returns the wish of a body. Throws where its text is no command, or its parts do not fit
 * together.
 */
export function wishOf(body: TradeBody): { wish: TradeWish; command: string | null } {
	if (!("command" in body)) return { wish: wishOfParts(body), command: null };
	const read = readTradeText(body.command);
	switch (read.kind) {
		case "wish":
			return { wish: read.wish, command: body.command };
		case "amount_missing": {
			const { asset: what } = read;
			const members = {
				suggestions: [`sell all ${what}`, `sell half ${what}`, `sell 25% ${what}`],
			};
			throw tradeFault.amountRequired({ public: `How much ${what} is to be sold?`, members });
		}
		default:
			throw tradeFault.commandInvalid({
				public: `That is not a command to trade: ${read.reason}.`,
			});
	}
}

/** The parts of a wish, without the wallet. */
export type TradeParts = Omit<z.output<typeof byForm>, "walletId">;

/**
 * Returns the wish that parts make. Throws where they do not fit together, or an amount is missing.
 */
export function wishOfParts(body: TradeParts): TradeWish {
	const { action, asset: what, quantity, spend, percent, settlement: in_ } = body;
	const settled = in_ ?? SETTLEMENT_DEFAULT;
	const given = [quantity, spend, percent].filter((one) => one !== undefined).length;
	if (action === "hold") {
		if (given > 0 || in_ !== undefined)
			throw invalidTrade("action", "is `hold`, which has no amount");
		return { kind: "hold", asset: what };
	}
	if (action === "sell" && given === 0) {
		throw tradeFault.amountRequired({ public: `How much ${what} is to be sold?` });
	}
	if (given !== 1)
		throw invalidTrade("quantity", "name one amount: `quantity`, or what stands for it");
	if (action === "buy") {
		if (percent !== undefined) throw invalidTrade("percent", "is for a sell");
		if (spend !== undefined) return { kind: "buy_with", asset: what, spend, settlement: settled };
		return { kind: "buy", asset: what, quantity: quantity ?? "", settlement: settled };
	}
	if (spend !== undefined) throw invalidTrade("spend", "is for a buy");
	if (percent !== undefined)
		return { kind: "sell_share", asset: what, percent, settlement: settled };
	return { kind: "sell", asset: what, quantity: quantity ?? "", settlement: settled };
}
