// Reads what a request wants to trade: from a command's text, or from its parts.

import { isAddress } from "viem";
import { z } from "zod";
import { invalidTrade, tradeFault } from "#plugins/trading/faults.ts";
import { AMOUNT_CHARS_MAX, ASSET_CHARS_MAX, COMMAND_CHARS_MAX } from "#plugins/trading/limits.ts";

/** The meaning of a text: a wish, a wish without its amount, or why it is neither. */
type ReadTradeText =
	| { kind: "wish"; wish: TradeWish }
	| { kind: "amount_missing"; asset: string }
	| { kind: "unread"; reason: string };

/** The settlement currency of a command that names none. */
export const SETTLEMENT_DEFAULT = "USDG";

const AMOUNT = "((?:0|[1-9][0-9]{0,29})(?:\\.[0-9]{1,30})?)";
const ASSET = "\\$?([a-z](?:[a-z0-9.-]{0,14}[a-z0-9])?|0x[0-9a-f]{40})";
const TO = `(?: to ${ASSET})?`;

const BUY_WITH = new RegExp(`^buy ${ASSET} with ${AMOUNT} ${ASSET}$`, "i");
const BUY = new RegExp(`^buy ${AMOUNT}( shares?(?: of)?)? ${ASSET}$`, "i");
const SELL = new RegExp(`^sell ${AMOUNT}( shares?)?( of)?( my)? ${ASSET}${TO}$`, "i");
const SELL_SHARE = new RegExp(`^sell ([1-9][0-9]?|100)%( of)?( my)? ${ASSET}${TO}$`, "i");
const SELL_WORD = new RegExp(`^sell (half|all)( of)?( my)? ${ASSET}${TO}$`, "i");
const SELL_WHAT = new RegExp(`^sell( my)? ${ASSET}${TO}$`, "i");
const HOLD = new RegExp(`^hold ${ASSET}$`, "i");
/** Words of the commands themselves: a ticker with such a name needs a `$`. */
const RESERVED = new Set("all half my of to with buy sell hold share shares".split(" "));

const PARTS: Readonly<Record<string, number>> = { half: 50, all: 100 };

const asset = z
	.string()
	.min(1)
	.max(ASSET_CHARS_MAX)
	.meta({
		description: "A ticker, `$` before it or not, or an address.",
		examples: ["TSLA"],
	});
const wishedAmount = z
	.string()
	.min(1)
	.max(AMOUNT_CHARS_MAX)
	.meta({ description: "How much, as a plain decimal.", examples: ["50"] });
const wishedSettlement = z
	.string()
	.min(1)
	.max(ASSET_CHARS_MAX)
	.meta({
		description: "ETH, WETH or USDG, or another token that a configured pool holds.",
		examples: ["USDG"],
	});
const wishedPercent = z
	.int()
	.min(1)
	.max(100)
	.meta({
		description: "So much of what the wallet holds, rounded down; 100 is all of it.",
		examples: [50],
	});

const wishedUnit = z
	.enum(["tokens", "shares"])
	.default("tokens")
	.meta({
		description:
			"What `quantity` counts. Shares become tokens by the token's multiplier: rounded up for a " +
			"buy, down for a sale.",
		examples: ["tokens"],
	});

/**
 * The trade that a command requests. Strict: ignoring an unknown member could trade something else.
 */
export const tradeWish = z.discriminatedUnion("kind", [
	z.strictObject({
		kind: z.literal("buy_with"),
		asset,
		spend: wishedAmount,
		settlement: wishedSettlement,
	}),
	z.strictObject({
		kind: z.literal("buy"),
		asset,
		quantity: wishedAmount,
		unit: wishedUnit,
		settlement: wishedSettlement,
	}),
	z.strictObject({
		kind: z.literal("sell"),
		asset,
		quantity: wishedAmount,
		unit: wishedUnit,
		settlement: wishedSettlement,
	}),
	z.strictObject({
		kind: z.literal("sell_share"),
		asset,
		percent: wishedPercent,
		settlement: wishedSettlement,
	}),
	z.strictObject({ kind: z.literal("hold"), asset }),
]);

const walletId = z
	.uuid()
	.optional()
	.meta({
		description: "Which of your wallets trades; the canonical one unless given.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
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
	quantity: amount("How many tokens of the asset, as a plain decimal."),
	shares: amount(
		"In place of `quantity`: how many shares. One token may be several; see `multiplier`.",
	),
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

export type TradeWish = z.output<typeof tradeWish>;

/** The parts of a wish, without the wallet. */
type TradeParts = Omit<z.output<typeof byForm>, "walletId">;

/** The body of a trade request: a command's text, or its parsed form. */
export const tradeBody = z
	.union([byCommand, byForm])
	.meta({ id: "TradeRequest", description: "A trade, as a command's text or as its parts." });

type TradeBody = z.output<typeof tradeBody>;

/** Members whose numbers must not become doubles. */
export const exactTradeMembers = ["quantity", "shares", "spend"] as const;

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

/**
 * Reads the text of one command as a whole: nothing is guessed, and any other part (a second
 * command, a polite word, a letter of another script) makes it unread.
 */
export function readTradeText(text: string): ReadTradeText {
	if (text.length > COMMAND_CHARS_MAX) {
		return unread(`it is longer than ${COMMAND_CHARS_MAX} characters`);
	}
	if (!/^[\x20-\x7e]*$/.test(text)) return unread("it has characters that no command has");
	const plain = text.trim().replace(/ +/g, " ");
	// A mixed-case address needs a right checksum: otherwise a digit was mistyped.
	const addresses = plain.match(/0x[0-9a-f]{40}/gi) ?? [];
	if (!addresses.every((address) => isAddress(address))) {
		return unread("an address in it has a wrong checksum");
	}
	const read = matchForms(plain);
	if (read) return read;
	const isSeveral = (plain.match(/\b(buy|sell|hold)\b/gi) ?? []).length > 1;
	return unread(isSeveral ? "it looks like more than one command" : "no form of a trade reads it");
}

/**
 * Returns the wish that parts make. Throws where they do not fit together, or an amount is missing.
 */
export function wishOfParts(body: TradeParts): TradeWish {
	const { action, asset: what, quantity, shares, spend, percent, settlement: in_ } = body;
	const settled = in_ ?? SETTLEMENT_DEFAULT;
	const given = [quantity, shares, spend, percent].filter((one) => one !== undefined).length;
	const counted = {
		quantity: shares ?? quantity ?? "",
		unit: shares === undefined ? ("tokens" as const) : ("shares" as const),
	};
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
		return { kind: "buy", asset: what, ...counted, settlement: settled };
	}
	if (spend !== undefined) throw invalidTrade("spend", "is for a buy");
	if (percent !== undefined)
		return { kind: "sell_share", asset: what, percent, settlement: settled };
	return { kind: "sell", asset: what, ...counted, settlement: settled };
}

function unread(reason: string): ReadTradeText {
	return { kind: "unread", reason };
}

/** Returns what the first form means that fits the whole text; null where none fits. */
function matchForms(text: string): ReadTradeText | null {
	const buyWith = BUY_WITH.exec(text);
	if (buyWith) {
		const [, asset = "", spend = "", settlement = ""] = buyWith;
		return (
			named(asset, text) &&
			wished({
				...{ kind: "buy_with", asset: tickerOf(asset), spend },
				settlement: tickerOf(settlement),
			})
		);
	}
	const buy = BUY.exec(text);
	if (buy) {
		const [, quantity = "", shares, asset = ""] = buy;
		const unit = shares === undefined ? "tokens" : "shares";
		const settlement = SETTLEMENT_DEFAULT;
		return (
			named(asset, text) &&
			wished({ kind: "buy", asset: tickerOf(asset), quantity, unit, settlement })
		);
	}
	const share = SELL_SHARE.exec(text) ?? SELL_WORD.exec(text);
	if (share) {
		const [, part = "", , , asset = "", to] = share;
		const percent = PARTS[part.toLowerCase()] ?? Number(part);
		const settlement = to === undefined ? SETTLEMENT_DEFAULT : tickerOf(to);
		return (
			named(asset, text) &&
			wished({ kind: "sell_share", asset: tickerOf(asset), percent, settlement })
		);
	}
	const sell = SELL.exec(text);
	if (sell) {
		const [, quantity = "", shares, , , asset = "", to] = sell;
		const unit = shares === undefined ? "tokens" : "shares";
		const settlement = to === undefined ? SETTLEMENT_DEFAULT : tickerOf(to);
		return (
			named(asset, text) &&
			wished({ kind: "sell", asset: tickerOf(asset), quantity, unit, settlement })
		);
	}
	const hold = HOLD.exec(text);
	if (hold?.[1] !== undefined) {
		return named(hold[1], text) && wished({ kind: "hold", asset: tickerOf(hold[1]) });
	}
	const what = SELL_WHAT.exec(text)?.[2];
	if (what !== undefined && named(what, text))
		return { kind: "amount_missing", asset: tickerOf(what) };
	return null;
}

/** Returns null for a word of the commands in place of an asset, without its `$`. */
function named(asset: string, text: string): true | null {
	return !RESERVED.has(asset.toLowerCase()) || text.includes(`$${asset}`) ? true : null;
}

function wished(wish: TradeWish): ReadTradeText {
	return { kind: "wish", wish };
}

/** Returns tickers in capitals, addresses in lower case. */
function tickerOf(text: string): string {
	return /^0x/i.test(text) ? text.toLowerCase() : text.toUpperCase();
}
