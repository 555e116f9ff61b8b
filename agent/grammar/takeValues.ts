// Takes the values in the words of a question: times, chains, tickers, ids, counts and traits.

import { readLooseTime } from "#agent/grammar/readPeriod.ts";
import { NUMBER_WORDS, readAddress, readSlot } from "#agent/grammar/readSlot.ts";
import { closedWords, isDeciding, setOf, type Words } from "#agent/grammar/splitWords.ts";
import type { Taker, Topics } from "#agent/grammar/topicPhrases.ts";
import type { WalkRules } from "#agent/grammar/walkForms.ts";
import { minutesOf } from "#core/period.ts";
import type { Slot } from "#core/plugin/Tool.ts";

const { BEFORE_TIME } = closedWords;

/** Names the role of each word of a text for one command. */
type Role = "topic" | "name" | "value" | "function" | "small" | "open" | "number";

/** Holds a reading of a question as one command, while it is made. */
export type Draft = {
	taker: Taker;
	words: Words;
	topics: Topics;
	rules: WalkRules;
	roles: Role[];
	values: Record<string, string>;
	/** Says whether what was taken for a name is not known as one. */
	isGuess: boolean;
};

/** Takes windows, chains, tickers, ids and addresses; false where one has no slot. */
export function takeValues(draft: Draft): boolean {
	const { words, roles, rules } = draft;
	const { low } = words;
	for (let at = 0; at < low.length; at++) {
		const role = roles[at];
		if (role === "topic" || role === "name" || role === "value" || role === "small") continue;
		const word = low[at] ?? "";
		const address = readAddress(word, words.raw[at] ?? "");
		if (address !== undefined) {
			if (!put(draft, "collection", address) && !put(draft, "asset", address)) return false;
			roles[at] = "value";
		} else if (/^\$[a-z]/.test(word)) {
			const asset = readSlot({ kind: "asset" }, words, at, rules);
			if (asset === undefined || !put(draft, "asset", asset)) return false;
			roles[at] = "value";
			takeKind(draft, at);
		} else if (/^#\d+$/.test(word)) {
			if (!put(draft, "token", word.slice(1))) return false;
			roles[at] = "value";
		} else if (!takeWindow(draft, at) || !takeChain(draft, at)) return false;
	}
	return true;
}

/** Takes the words that only say what a ticker is: `tokenised tesla`, `shares of apple stock`. */
function takeKind({ words: { low }, roles }: Draft, at: number): void {
	const take = (n: number) => {
		if (roles[n] === "open") roles[n] = "function";
	};
	for (let n = at + 1; OF_TICKER.has(low[n] ?? ""); n++) take(n);
	for (let n = at - 1; OF_TICKER.has(low[n] ?? "") || low[n] === "of"; n--) take(n);
}

const OF_TICKER = setOf(
	"token tokens token's tokenised tokenized stock stocks stock's share shares",
);

function takeWindow(draft: Draft, at: number): boolean {
	const { words, roles, rules, taker } = draft;
	const slot = timeSlotOf(taker);
	const own = readSlot(slot, words, at, rules);
	const found = own === undefined ? readLooseTime(slot, words, at, words.low.length) : undefined;
	const value = own ?? found?.value;
	if (value === undefined || isInName(draft, at)) return true;
	for (let n = 0; n < (found?.used ?? 1); n++) roles[at + n] = "value";
	for (let n = at - 1; n >= 0 && BEFORE_TIME.has(words.low[n] ?? ""); n--) {
		if (roles[n] === "open") roles[n] = "function";
	}
	if (words.low[at - 1] === "since" && minutesOf(value) !== undefined) roles[at - 1] = "function";
	// `sales by hour` asks for each hour, and not for the last one.
	if (words.low[at - 1] === "by" && roles[at - 1] !== "topic") return false;
	if (put(draft, slot.kind, value)) return true;
	// An answer about now also answers a question about today, but not one about the last 24 hours.
	return /^today/.test(words.low[at] ?? "") && taker.command.topic?.anyTime === true;
}

function timeSlotOf({ command: { slots } }: Taker): Slot {
	const own = Object.values(slots).find(({ kind }) => kind === "period");
	return own ?? { kind: "window" };
}

/** Returns true for a word between two words of a name: `rainy day rabbits`. */
function isInName({ words, roles }: Draft, at: number): boolean {
	if (/\d/.test(words.low[at] ?? "") || words.isApart[at] || words.isApart[at + 1]) return false;
	return (
		roles[at - 1] === "open" &&
		roles[at + 1] === "open" &&
		!BEFORE_TIME.has(words.low[at - 1] ?? "")
	);
}

/** Takes a chain behind `on`, in front of `chain`, apart from all else, or at the end. */
function takeChain(draft: Draft, at: number): boolean {
	const { words, roles, rules, taker } = draft;
	const { low, isApart } = words;
	if (roles[at] !== "open" && roles[at] !== "function") return true;
	// `floor in eth` names the currency that answers have anyway, and not the chain.
	const isWide = taker.slotOf("chain") !== undefined && taker.slotOf("collection") === undefined;
	if (low[at] === "eth" && low[at - 1] !== "on" && (low[at - 1] === "in" || !isWide)) {
		const isLast = at === low.length - 1 || isApart[at + 1] === true;
		const isPriced = isLast && (roles[at - 1] === "topic" || roles[at - 1] === "name");
		if (low[at - 1] === "in" || isPriced) roles[at] = "function";
		return true;
	}
	const slug = /^\d/.test(low[at] ?? "")
		? undefined
		: readSlot({ kind: "chain" }, words, at, rules);
	if (slug === undefined) return true;
	const isThe = low[at - 1] === "the" && low[at + 1] === "one";
	const isCalled = isThe || CALLED.has(low[at + 1] ?? "");
	const isFirst = at === 0 || isApart[at] === true;
	const isLast = at === low.length - 1 || isApart[at + 1] === true;
	const before = roles[at - 1];
	// `been stable` says how, and `azuki floor stable` says where.
	const isBehind =
		before === "topic" || before === "name" || before === "value" || IN.has(low[at - 1] ?? "");
	// `is kiln folk floor stable` asks how it is.
	const canEnd = isLast && (isFirst || (isBehind && !ASKING_HOW.has(low[0] ?? "")));
	// `trending base 24h`: nothing there is named.
	const isBetween = before === "topic" && taker.slotOf("collection") === undefined;
	if (!(low[at - 1] === "on" || isCalled || canEnd || isBetween)) return true;
	roles[at] = "value";
	if (isCalled) roles[at + 1] = "function";
	return put(draft, "chain", slug) || taker.command.topic?.chain === slug;
}

const IN = setOf("in for over to across rn now atm");
const ASKING_HOW = setOf("is are has have was were does did");
const CALLED = setOf("chain network mainnet only");

/**
 * Puts a value into its kind's slot, or a second one into `other`; returns false if there is none,
 * or it has another value.
 */
export function put(
	{ taker, values }: Draft,
	kind: Parameters<Taker["slotOf"]>[0],
	value: string,
): boolean {
	const other = taker.command.slots["other"]?.kind === kind ? "other" : undefined;
	const slot = [taker.slotOf(kind), other].find((name) => {
		return name !== undefined && (!(name in values) || values[name] === value);
	});
	if (slot === undefined) return false;
	values[slot] = value;
	return true;
}

/**
 * Takes how many are asked for where the answer lists as many: `top 5 holders`, `ten largest
 * holders`. Behind a name a number is an id, and elsewhere it bounds something.
 */
export function takeCounts({ words: { low, isApart }, roles, taker }: Draft): void {
	const { lists = 0 } = taker.command.topic ?? {};
	for (const [at, word] of low.entries()) {
		const isFree = roles[at] === "number" || roles[at] === "open";
		const count = COUNTS.get(word) ?? (/^[1-9]\d?$/.test(word) ? Number(word) : 0);
		if (!isFree || count < 1 || count > lists) continue;
		const isBefore = roles[at + 1] === "topic" && !isApart[at + 1] && roles[at - 1] !== "name";
		if (isBefore || (RANKING.has(low[at - 1] ?? "") && !isApart[at])) roles[at] = "topic";
	}
}

const COUNTS = new Map([...NUMBER_WORDS, ["few", 1], ["one", 0]]);
const RANKING = setOf(
	"top last latest recent newest cheapest lowest highest biggest largest best limit",
);

/** Takes the trait behind `with`, where the command has a place for one. */
export function takeTrait({ words, roles, taker, values, topics }: Draft): void {
	const { low, isApart } = words;
	if (!taker.needed.has("trait")) return;
	const lead = low.findIndex((word, at) => {
		return HAVING.has(word) || (HAS.has(word) && low[at - 1] === "that");
	});
	let from = lead + 1;
	while (ARTICLES.has(low[from] ?? "")) from += 1;
	let to = from;
	for (; to < low.length && (to === from || !isApart[to]) && to - from < TRAIT_WORDS_MAX; to++) {
		const isPart = roles[to] === "open" && !isDeciding(low[to] ?? "");
		if (!isPart || topics.isTopical(low[to] ?? "")) break;
	}
	if (lead < 0 || to === from) return;
	values["trait"] = words.raw.slice(from, to).join(" ");
	for (let at = lead; at < to; at++) roles[at] = "value";
	if (low[lead - 1] === "that") roles[lead - 1] = "value";
}

const HAVING = new Set(["with", "wearing", "having"]);
const HAS = new Set(["has", "have", "got", "had"]);
const ARTICLES = new Set(["a", "an", "the"]);
const TRAIT_WORDS_MAX = 5;
