import { TIME_UNITS } from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import { isChatWord } from "#agent/grammar/wordRoles.ts";

/**
 * Returns true for an amount that a price is compared with (`still above 2`, `under 1 eth`, `it was
 * .4`): the present price answers it. An amount of an order (`for 1 eth`) is none.
 */
export function comparesPrice(words: Words, at: number): boolean {
	const { low } = words;
	const [word = "", before = "", next = ""] = [low[at], low[at - 1], low[at + 1]];
	if (!AMOUNT.test(word)) return false;
	if (/^\d+$/.test(word) && (!isBare(words, at + 1) || TIME_UNITS.has(next))) return false;
	if (COMPARING.has(before)) return true;
	if (before === "than" && (MONEY.has(next) || !/^\d+$/.test(word))) return true;
	return TELLING.has(before) && (!/^\d+$/.test(word) || MONEY.has(next));
}

/** Returns true where nothing stands that a number could count: no `hours`, no `holders`. */
function isBare({ low, isApart }: Words, at: number): boolean {
	const next = low[at];
	return next === undefined || isApart[at] === true || MONEY.has(next) || isChatWord(next);
}

/** Words behind an amount that make it one of money. */
export const MONEY: ReadonlySet<string> = new Set(
	"eth weth ether usd usdg usdc usdt dai dollars bucks".split(" "),
);

const AMOUNT = /^\$?(?:\d+|\d*\.\d+)(?:e|eth|k|usd)?$/;
const COMPARING = new Set(
	"under below above over sub beneath hit hits reach reached cross crossed break broke lost holding hold holds paid".split(
		" ",
	),
);
const TELLING = new Set(
	"was were be at like around about near got have ive i've with only".split(" "),
);
