// Reads the values in the words that stand outside of a question's topic.

import { chooseName, isTalk } from "#agent/grammar/names.ts";
import { isOrder, isOrderWord, isTold } from "#agent/grammar/orders.ts";
import {
	comparesPrice,
	isNameWord,
	isOtherTime,
	isWindowWord,
	MONEY,
	readAddress,
	readLooseWindow,
	readSlot,
} from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import type { WalkRules } from "#agent/grammar/walkForms.ts";
import { isBeforeValue, isChatWord, roleOf } from "#agent/grammar/wordRoles.ts";

/** Holds what a question says besides its topic. */
export type Values = {
	/** `chain`: the name is that of a chain, too (`base drops`). */
	name?: { value: string; range?: Range; chain?: string | undefined };
	window?: string;
	/** True where the window is only a word for the present: `today`. */
	isSaidOnly: boolean;
	chain?: string;
	token?: string;
	/** Where the token's id stands, if it is without its sign. */
	tokenAt?: number;
	asset?: string;
	/** The name with a number behind it, which may be part of it: `normies 2049`. */
	numbered?: string;
	/** True where the question is about another time than now. */
	isPast: boolean;
	/** True where a price is compared with an amount. */
	isPriced: boolean;
};

/** Reads all words outside the topic; undefined where one of them is neither a value nor chat. */
export function readValues(
	words: Words,
	isTopic: ReadonlySet<number>,
	rules: WalkRules,
): Values | undefined {
	const { low, raw, kinds } = words;
	const values: Values = {
		isSaidOnly: false,
		isPast: low.some((word) => PAST.has(word)),
		isPriced: low.some((_, at) => comparesPrice(words, at)),
	};
	const rest: number[] = [];
	for (let at = 0; at < low.length; at++) {
		const word = low[at] ?? "";
		if (kinds[at] === "quoted" || readAddress(word, raw[at] ?? "") !== undefined) {
			if (values.name) return undefined;
			values.name = { value: readAddress(word, raw[at] ?? "") ?? raw[at] ?? "" };
			continue;
		}
		if (comparesPrice(words, at)) {
			if (MONEY.has(low[at + 1] ?? "")) at += 1;
			continue;
		}
		const window = windowAt(words, at, rules);
		if (!window && isTopic.has(at) && !VALUE.test(word)) continue;
		if (window) {
			if (values.window !== undefined && values.window !== window.value) return undefined;
			values.window = window.value;
			values.isSaidOnly = /^today(?:'?s)?$/.test(word);
			at += window.used - 1;
			continue;
		}
		const isNamed = word === "ape" && at > 0 && roleOf(words, at - 1) !== "chat";
		if (isOrderWord(word) && !isNamed) {
			const isSince = isVersus(word) && windowAt(words, at + 1, rules) !== undefined;
			const isPair = isVersus(word) && SIDES.has(low[at - 1] ?? "") && SIDES.has(low[at + 1] ?? "");
			const isLimit = word === "than" && (isCount(words, at + 1) || comparesPrice(words, at + 1));
			if (isOrder(words, at) && !isSince && !isPair && !isLimit) return undefined;
			continue;
		}
		if (/^\d*\.\d/.test(word)) return undefined;
		if (rules.isReserved(word) && isTold(low[at - 1] ?? "")) continue;
		if (rules.isReserved(word) || isOtherTime(words, at)) return undefined;
		const chain = chainAt(words, at, { isTopic, rules });
		if (chain !== undefined) {
			if (values.chain !== undefined) return undefined;
			values.chain = chain;
		} else if (/^\$[a-z]/.test(word) || isTicker(words, at)) {
			const asset = readSlot({ kind: "asset" }, words, at, rules);
			if (asset === undefined || (values.asset ?? asset) !== asset) return undefined;
			values.asset = asset;
		} else if (/^#?\d+$/.test(word)) {
			if (isCount(words, at)) continue;
			if (values.token !== undefined) return undefined;
			values.token = word.replace("#", "");
			if (word === values.token) values.tokenAt = at;
		} else rest.push(at);
	}
	return withName(words, rest, values, { isTopic, rules });
}

/** The id of a token, or a ticker: values that also show what is asked. */
const VALUE = /^(?:#?\d+|\$[a-z].*)$/;
const NAME_WORDS_MAX = 5;

/** Returns true for a bare ticker where something says so: `nvda stock`, `market open for nvda`. */
function isTicker(words: Words, at: number): boolean {
	const { low } = words;
	if (!/^[a-z]{1,5}$/.test(low[at] ?? "") || low[at] === "token") return false;
	if (SHARES.has(low[at + 1] ?? "")) return !isChatWord(low[at] ?? "");
	// The market of a stock opens and closes; that of a collection does not.
	const hasHours = low.some((word, n) => word === "market" && HOURS.has(low[n + 1] ?? ""));
	return hasHours && roleOf(words, at) === "open" && !HOURS.has(low[at] ?? "");
}

const HOURS = new Set("open opens opened opening close closes closed closing".split(" "));

const SHARES = new Set("stock stocks shares share ticker".split(" "));

function withName(
	words: Words,
	rest: readonly number[],
	values: Values,
	{ isTopic, rules }: { isTopic: ReadonlySet<number>; rules: WalkRules },
): Values | undefined {
	const chain =
		rest.length === 1 ? readSlot({ kind: "chain" }, words, rest[0] ?? 0, rules) : undefined;
	const isShare = (at: number) =>
		values.asset !== undefined && /^tokens?$/.test(words.low[at] ?? "");
	const open = rest.filter((at) => !isShare(at));
	const choice = chooseName(words, open, isTopic);
	if (choice.kind === "none") return values;
	if (choice.kind === "unclear") return undefined;
	const { from, to } = choice.range;
	if (values.name) return isRemark(words, choice.range, isTopic) ? values : undefined;
	if (to - from > NAME_WORDS_MAX) return undefined;
	for (let at = from; at < to; at++) if (!isNameWord(words, at, rules)) return undefined;
	const value = words.raw.slice(from, to).join(" ").replace(/'s?$/, "");
	const name = { value, range: { from, to }, chain };
	const { tokenAt } = values;
	if (tokenAt === to && !words.isApart[to]) {
		return { ...values, name, numbered: `${value} ${words.raw[to]}` };
	}
	// `404 ducks` at the beginning, or behind `of`; elsewhere it is how many.
	const isMany = words.low.includes("many") || words.isApart[from];
	const isFirst = tokenAt === 0 || words.isApart[from - 1] || isChatWord(words.low[from - 2] ?? "");
	const isNumbered = tokenAt !== undefined && tokenAt === from - 1 && !isMany && isFirst;
	return isNumbered
		? { ...values, name, numbered: `${words.raw[tokenAt]} ${value}` }
		: { ...values, name };
}

/**
 * Returns true for usual words that count for nothing beside a name in quotes (`azuki volume, lets
 * see the damage`). Beside the name or the topic they may narrow it: `gold fur floor`.
 */
function isRemark(words: Words, { from, to }: Range, isTopic: ReadonlySet<number>): boolean {
	const { kinds } = words;
	const isBeside = (at: number) => isTopic.has(at) || kinds[at] === "quoted";
	if (isBeside(from - 1) || isBeside(to) || NARROWING.has(words.low[from - 1] ?? "")) return false;
	if ([...isTopic].some((at) => kinds[at] === "quoted")) return false;
	// `azuki volume last hour gogogo`
	const isShout = to - from === 1 && to === words.low.length;
	return isShout || isTalk(words, { from, to });
}

const NARROWING = new Set("with without having wearing and or plus".split(" "));

function windowAt(
	words: Words,
	at: number,
	rules: WalkRules,
): { value: string; used: number } | undefined {
	if (words.proper?.has(at) || isInName(words, at)) return undefined;
	// `in the last 24`
	const isDay = words.low[at] === "24" && /^(?:last|past)$/.test(words.low[at - 1] ?? "");
	if (isDay && !isOtherTime(words, at) && !readLooseWindow(words, at, words.low.length)) {
		return { value: "24h", used: 1 };
	}
	const value = readSlot({ kind: "window" }, words, at, rules);
	return value ? { value, used: 1 } : readLooseWindow(words, at, words.low.length);
}

const PAST = new Set("was were ago back".split(" "));

/** Returns true for a word such as `day` between two words of a name: `rainy day rabbits`. */
function isInName(words: Words, at: number): boolean {
	if (!UNITS.has(words.low[at] ?? "") || words.isApart[at] || words.isApart[at + 1]) return false;
	const isOpen = (next: number) =>
		next >= 0 && next < words.low.length && roleOf(words, next) === "open";
	return isOpen(at - 1) && isOpen(at + 1);
}

const UNITS = new Set("hour day week month today weeks months".split(" "));

/** Returns true for words of comparison with a time: `floor vs yesterday` is one question. */
function isVersus(low: string): boolean {
	return low === "vs" || low === "versus" || low === "than";
}

/** Matches both sides of one order book: `bids vs asks` is one question. */
const SIDES = new Set("bid bids offer offers ask asks listing listings".split(" "));

/**
 * Returns the chain at this place. A chain follows `on`, or comes last after a topic; elsewhere the
 * word is part of a name (`base gods`).
 */
function chainAt(
	words: Words,
	at: number,
	{ isTopic, rules }: { isTopic: ReadonlySet<number>; rules: WalkRules },
): string | undefined {
	const { low } = words;
	const chain = readSlot({ kind: "chain" }, words, at, rules);
	// `in eth terms`
	if (low[at - 1] === "in" && MONEY.has(low[at] ?? "")) return undefined;
	if (chain === undefined || /^\d+$/.test(low[at] ?? "")) return undefined;
	const isAfter =
		isTopic.has(at - 1) || words.kinds[at - 1] === "quoted" || isWindowWord(low[at - 1] ?? "");
	const isAtEnd = at > 0 && at === low.length - 1 && (isAfter || words.isApart[at]);
	const isCalled = CALLED.has(low[at + 1] ?? "") && (at === 0 || words.isApart[at] || isAfter);
	const isOfAll = MANY.has(low[at + 1] ?? "") && (at === 0 || WHICH.has(low[at - 1] ?? ""));
	// `base: azuki floor`
	const isAlone = (at === 0 || words.isApart[at] === true) && words.isApart[at + 1] === true;
	return isAtEnd ||
		isAlone ||
		isCalled ||
		isOfAll ||
		(isBeforeValue(low[at - 1] ?? "") && low[at - 1] !== "of")
		? chain
		: undefined;
}

/** Behind one of these words a chain is no name: `base chain`, `base only`. */
const CALLED = new Set("chain network mainnet only one side".split(" "));
/** `any base collections`: all that are there. */
const MANY = new Set("collections projects nfts".split(" "));
const WHICH = new Set("any what which new all more other the some of for hot".split(" "));

/** Returns true for a number of wanted answers (`top 10`), or one that replaces a word (`4 a`). */
function isCount(words: Words, at: number): boolean {
	const { low } = words;
	if ((low[at] ?? "").length > 3) return false;
	if (low[at] === "1" && words.kinds[at + 1] === "quoted") return true;
	const isFor = /^[24]$/.test(low[at] ?? "") && ARTICLES.has(low[at + 1] ?? "");
	if (LIMITING.has(low[at - 1] ?? ""))
		return low[at + 1] === "of" || (at + 1 < low.length && roleOf(words, at + 1) === "open");
	return isFor || COUNTED.has(low[at - 1] ?? "") || COUNTED.has(low[at + 1] ?? "");
}

const ARTICLES = new Set("a an the".split(" "));

/** In front of a number they say how many are meant: `more than 10 azukis`. */
const LIMITING = new Set(
	(
		"than least over about around exactly another roughly only all like unload offload exit " +
		"sell dump buy sweep grab list"
	).split(" "),
);

const COUNTED = new Set(
	"top last latest recent first past next best biggest cheapest lowest highest".split(" "),
);
