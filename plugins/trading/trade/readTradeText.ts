import { isAddress } from "viem";
import { COMMAND_CHARS_MAX } from "#plugins/trading/limits.ts";
import { SETTLEMENT_DEFAULT, type TradeWish } from "#plugins/trading/trade/TradeWish.ts";

/** The meaning of a text: a wish, a wish without its amount, or why it is neither. */
export type ReadTradeText =
	| { kind: "wish"; wish: TradeWish }
	| { kind: "amount_missing"; asset: string }
	| { kind: "unread"; reason: string };

const AMOUNT = "((?:0|[1-9][0-9]{0,29})(?:\\.[0-9]{1,30})?)";
const ASSET = "\\$?([a-z](?:[a-z0-9.-]{0,14}[a-z0-9])?|0x[0-9a-f]{40})";
const TO = `(?: to ${ASSET})?`;

const BUY_WITH = new RegExp(`^buy ${ASSET} with ${AMOUNT} ${ASSET}$`, "i");
const BUY = new RegExp(`^buy ${AMOUNT} ${ASSET}$`, "i");
const SELL = new RegExp(`^sell ${AMOUNT}( of)?( my)? ${ASSET}${TO}$`, "i");
const SELL_SHARE = new RegExp(`^sell ([1-9][0-9]?|100)%( of)?( my)? ${ASSET}${TO}$`, "i");
const SELL_WORD = new RegExp(`^sell (half|all)( of)?( my)? ${ASSET}${TO}$`, "i");
const SELL_WHAT = new RegExp(`^sell( my)? ${ASSET}${TO}$`, "i");
const HOLD = new RegExp(`^hold ${ASSET}$`, "i");
/** Words of the commands themselves: a ticker with such a name needs a `$`. */
const RESERVED = new Set(["all", "half", "my", "of", "to", "with", "buy", "sell", "hold"]);

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
	const wish = wishOf(plain);
	if (wish) return wish;
	const isSeveral = (plain.match(/\b(buy|sell|hold)\b/gi) ?? []).length > 1;
	return unread(isSeveral ? "it looks like more than one command" : "no form of a trade reads it");
}

function wishOf(text: string): ReadTradeText | null {
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
		const [, quantity = "", asset = ""] = buy;
		const settlement = SETTLEMENT_DEFAULT;
		return wished({ kind: "buy", asset: tickerOf(asset), quantity, settlement });
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
		const [, quantity = "", , , asset = "", to] = sell;
		const settlement = to === undefined ? SETTLEMENT_DEFAULT : tickerOf(to);
		return (
			named(asset, text) && wished({ kind: "sell", asset: tickerOf(asset), quantity, settlement })
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

const PARTS: Readonly<Record<string, number>> = { half: 50, all: 100 };

/** Returns null for a word of the commands in place of an asset, without its `$`. */
function named(asset: string, text: string): true | null {
	return !RESERVED.has(asset.toLowerCase()) || text.includes(`$${asset}`) ? true : null;
}

function wished(wish: TradeWish): ReadTradeText {
	return { kind: "wish", wish };
}

function unread(reason: string): ReadTradeText {
	return { kind: "unread", reason };
}

/** Returns tickers in capitals, addresses in lower case. */
function tickerOf(text: string): string {
	return /^0x/i.test(text) ? text.toLowerCase() : text.toUpperCase();
}
