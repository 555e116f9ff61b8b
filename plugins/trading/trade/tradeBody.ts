// Reads what a request wants to trade: from a command's text, or from its parts.

import { isAddress } from "viem";
import { z } from "zod";
import { invalidTrade, tradeFault } from "#plugins/trading/faults.ts";
import { AMOUNT_CHARS_MAX, ASSET_CHARS_MAX, COMMAND_CHARS_MAX } from "#plugins/trading/limits.ts";
import { SETTLEMENT_SYMBOLS } from "#plugins/trading/registry/createAssets.ts";

/** The meaning of a text: a wish, a wish without its amount, or why it is neither. */
type ReadTradeText =
	| { kind: "wish"; wish: TradeWish }
	| { kind: "amount_missing"; asset: string }
	| { kind: "unread"; reason: string; nearest: string };

/** The settlement currency of a command that names none. */
export const SETTLEMENT_DEFAULT = "USDG";

const AMOUNT = "(?<amount>(?:0|[1-9][0-9]{0,29})(?:\\.[0-9]{1,30})?)";
const NAME = "\\$?(?:[a-z](?:[a-z0-9.-]{0,14}[a-z0-9])?|0x[0-9a-f]{40})";
const ASSET = `(?<asset>${NAME})`;
const MONEY = `(?<money>${NAME})`;
const PART = "(?:(?<percent>[1-9][0-9]?|100)%|(?<part>half|all))";
const SHARES = "(?<shares> shares?)";
const OF = "(?: of)?(?: my)?";
const TO = `(?: to ${MONEY})?`;

/**
 * Lists the forms of commands with the kind of trade that each means; the first that fits is used.
 */
const FORMS: readonly (readonly [form: string, kind: TradeWish["kind"]])[] = [
	[`buy ${ASSET} with ${AMOUNT} ${MONEY}`, "buy_with"],
	[`buy \\$${AMOUNT}(?: of| worth of)? ${ASSET}`, "buy_with"],
	[`buy ${AMOUNT}(?:${SHARES}(?: of)?)? ${ASSET}`, "buy"],
	[`buy ${AMOUNT} ${ASSET}${SHARES}`, "buy"],
	[`sell ${PART}${OF} ${ASSET}${TO}`, "sell_share"],
	[`sell ${AMOUNT}${SHARES}?${OF} ${ASSET}${TO}`, "sell"],
	[`sell ${AMOUNT}${OF} ${ASSET}${SHARES}${TO}`, "sell"],
	[`swap ${PART}${OF} ${ASSET} (?:to|for|into) ${MONEY}`, "sell_share"],
	[`swap ${AMOUNT}${OF} ${ASSET} (?:to|for|into) ${MONEY}`, "sell"],
	[`hold ${ASSET}`, "hold"],
];
const READERS = FORMS.map(([form, kind]) => ({ form: new RegExp(`^${form}$`, "i"), kind }));
const SELL_WHAT = new RegExp(`^sell(?: my)? ${ASSET}${TO}$`, "i");
/** Words of the commands themselves: a ticker with such a name needs a `$`. */
const RESERVED = new Set(
	"all half my of to for into with worth buy sell swap hold share shares".split(" "),
);

/** Shapes of commands, by what a text that is none has in it; the first that fits is nearest. */
const SHAPES: readonly (readonly [mark: RegExp, shape: string])[] = [
	[/\bhold\b/, "hold <asset>"],
	[/\b(swap|convert|exchange|trade)\b/, "swap <quantity> <asset> to <asset>"],
	[/\b(sell|dump|offload)\b.*\bshares?\b/, "sell <quantity> shares <asset>"],
	[/\b(sell|dump|offload)\b.*(%|\b(all|half|percent)\b)/, "sell <percent>% <asset>"],
	[/\b(sell|dump|offload)\b/, "sell <quantity> <asset> [to <settlement>]"],
	[/\$ ?\d|\b(dollars?|bucks?|worth)\b/, "buy $<amount> of <asset>"],
	[/\bshares?\b/, "buy <quantity> shares <asset>"],
	[/\b(with|using|eth|weth|usdg)\b/, "buy <asset> with <amount> <settlement>"],
	[/\b(buy|get|purchase|grab)\b.*\d/, "buy <quantity> <asset>"],
];
const SHAPE_DEFAULT = "buy <asset> with <amount> <settlement>";

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
		description: `What pays, or is paid out: ETH, WETH or USDG; ${SETTLEMENT_DEFAULT} unless given.`,
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
				public: `That is not a command to trade: ${read.reason}. The nearest is: ${read.nearest}`,
				members: { nearest: read.nearest },
			});
	}
}

/**
 * Reads the text of one command as a whole: nothing is guessed, and any other part (a second
 * command, a polite word, a letter of another script) makes it unreadable.
 */
export function readTradeText(text: string): ReadTradeText {
	const nearest = nearestForm(text);
	const unread = (reason: string): ReadTradeText => ({ kind: "unread", reason, nearest });
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
	const isSeveral = (plain.match(/\b(buy|sell|swap|hold)\b/gi) ?? []).length > 1;
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
	return paidIn({ kind: "sell", asset: what, ...counted, settlement: settled });
}

/** Returns what the first form means that fits the whole text; null where none fits. */
function matchForms(text: string): ReadTradeText | null {
	for (const { form, kind } of READERS) {
		const parts = form.exec(text)?.groups;
		const wish = parts && wishOfForm(kind, parts);
		if (wish) return wished(wish);
	}
	const what = nameOf(SELL_WHAT.exec(text)?.groups?.["asset"]);
	return what === null ? null : { kind: "amount_missing", asset: what };
}

/** Returns the wish that a form's parts make; null where a word of the commands is a name in it. */
function wishOfForm(
	kind: TradeWish["kind"],
	parts: Readonly<Record<string, string | undefined>>,
): TradeWish | null {
	const { amount: quantity = "", percent, part = "", money } = parts;
	const asset = nameOf(parts["asset"]);
	const settlement = money === undefined ? SETTLEMENT_DEFAULT : nameOf(money);
	if (asset === null || settlement === null) return null;
	const unit = parts["shares"] === undefined ? "tokens" : "shares";
	switch (kind) {
		case "hold":
			return { kind, asset };
		case "buy_with":
			return { kind, asset, spend: quantity, settlement };
		case "sell_share": {
			const whole = PARTS[part.toLowerCase()] ?? Number(percent);
			return { kind, asset, percent: whole, settlement };
		}
		default:
			return paidIn({ kind, asset, quantity, unit, settlement });
	}
}

/** Returns the sale of a settlement currency for a stock as a buy with so much of it. */
function paidIn(wish: TradeWish): TradeWish {
	if (wish.kind !== "sell" || wish.unit !== "tokens") return wish;
	const { asset: settlement, quantity: spend, settlement: asset } = wish;
	if (!isSettlement(settlement) || isSettlement(asset)) return wish;
	return { kind: "buy_with", asset, spend, settlement };
}

function isSettlement(name: string): boolean {
	return SETTLEMENT_SYMBOLS.some((symbol) => symbol === name.replace(/^\$/, "").toUpperCase());
}

/** Returns the shape of the command that a text is nearest to; nothing reads a shape. */
function nearestForm(text: string): string {
	const low = text.slice(0, COMMAND_CHARS_MAX).toLowerCase();
	return SHAPES.find(([mark]) => mark.test(low))?.[1] ?? SHAPE_DEFAULT;
}

/** Returns a ticker in capitals, or an address in lower case; null for a word of the commands. */
function nameOf(text: string | undefined): string | null {
	if (text === undefined) return null;
	const name = text.replace(/^\$/, "");
	if (name === text && RESERVED.has(name.toLowerCase())) return null;
	return /^0x/i.test(name) ? name.toLowerCase() : name.toUpperCase();
}

function wished(wish: TradeWish): ReadTradeText {
	return { kind: "wish", wish };
}
