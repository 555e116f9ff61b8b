// Chooses the words of a question that are a name.

import { isOrderWord } from "#agent/grammar/orders.ts";
import { isNameWord, isWindowWord, type SlotRules, TIME_UNITS } from "#agent/grammar/readSlot.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import {
	isChatWord,
	isCommon,
	isPastForm,
	isVague,
	namePlaces,
	roleOf,
} from "#agent/grammar/wordRoles.ts";
import type { KnownName, KnownNames } from "#core/plugin/Tool.ts";

/** Tells which of the remaining words are a name; `unclear` where there are several. */
export type NameChoice = { kind: "name"; range: Range } | { kind: "none" } | { kind: "unclear" };

export type NameRules = {
	rules: SlotRules;
	/** Returns true for a word of a form or a topic, also misspelled, or a chain. */
	isOfQuestion(low: string): boolean;
};

export type Group = Range & { text: string };
/** Holds a known name. `own`: how many of its words neither ask nor talk, and 1 behind `of`. */
export type Named = Group & { name: KnownName; own: number; other: number };

/** Behind one of these words stands what a question is about. */
const NAMING = new Set("of for on in about".split(" "));
const ANCHORED = 3;
const UNUSUAL = 2;
const PROPER = 10;

const ARTICLES = new Set("the a an this that these my".split(" "));

const CUTTING = new Set("past under over beyond in at".split(" "));

const TALK_WORDS_MAX = 3;

const BEFORE_GROUP = new Set("of for on about".split(" "));

const NFT_WORDS = new Set("nft nfts collection collections floor fp mint mints".split(" "));

/** The most words of a name that is looked up, and of a text in which names are. */
const NAME_WORDS_MAX = 6;
const WORDS_MAX = 40;

/** Lists words behind which a usual word may be a ticker: `hood stock`. */
export const SHARES: ReadonlySet<string> = new Set(
	"stock stocks stonk stonks share shares token".split(" "),
);
const BEFORE_NAMES = new Set("of and & for at to from is are by with or".split(" "));
const BEHIND_NAMES = new Set("of and & the a an for on in at to by with or is are".split(" "));

/**
 * Chooses the words that are the name a question is about.
 *
 * Of several runs of words the one counts that stands where names stand: behind `of` or `on`, or
 * alone between commas. Usual words elsewhere are talk; one unknown word is tolerated in front of a
 * name behind such a word. A second name leaves the text unread.
 */
export function chooseName(
	words: Words,
	rest: readonly number[],
	isTopic: ReadonlySet<number>,
): NameChoice {
	const parts = runsOf(words, namePlaces(words, rest)).map((run) => properPart(words, run));
	const runs = parts.filter((run, n) => {
		return !parts.some(
			(other, m) =>
				m !== n && isSaidBy(words, run, other) && (m > n || !isSaidBy(words, other, run)),
		);
	});
	const [first, second, ...more] = runs;
	if (!first) return { kind: "none" };
	if (!second) {
		return isAside(words, first, isTopic) || isCut(words, first, rest)
			? { kind: "unclear" }
			: { kind: "name", range: first };
	}
	if (more.length === 0 && isBesideName(words, [first, second], isTopic)) {
		return { kind: "name", range: second };
	}
	const ranked = runs.map((run) => ({ run, score: scoreOf(words, run, isTopic) }));
	const best = ranked.reduce((one, other) => (other.score > one.score ? other : one));
	const others = ranked.filter((one) => one !== best);
	const isWritten = best.score >= PROPER && others.every(({ score }) => score < ANCHORED);
	if (isWritten) return { kind: "name", range: best.run };
	const isClear =
		best.score > 0 && others.every(({ run, score }) => score === 0 || isAfterthought(words, run));
	return isClear ? { kind: "name", range: best.run } : { kind: "unclear" };
}

/** Returns true where all words are usual ones. */
export function isTalk(words: Words, { from, to }: Range): boolean {
	for (let at = from; at < to; at++) {
		if (!isCommon(words.low[at] ?? "") && roleOf(words, at) === "open") return false;
	}
	return to - from <= TALK_WORDS_MAX;
}

/** Returns the groups of neighbouring words that could be names; none for a text with quotes. */
export function namesToAsk(typed: Words, rules: NameRules): string[] {
	return [...new Set(groupsOf(withoutSigns(typed), rules).map(({ text }) => text))];
}

/**
 * Chooses names that do not overlap, the best first: with most words of their own, and then with
 * the fewest that ask something or only talk. A name of only such words counts as the whole text.
 */
export function bestOf(words: Words, reading: NameRules & { names: KnownNames }): Named[] {
	const found = groupsOf(words, reading).flatMap((group) => {
		const name = reading.names.get(group.text);
		if (!name || !mayBe(name, words)) return [];
		const typed = group.text.split(" ");
		const free = typed.filter((word) => isFree(word, reading)).length;
		// Behind `of` stands what is asked about.
		const own = free + (BEFORE_GROUP.has(words.low[group.from - 1] ?? "") ? 1 : 0);
		return [{ ...group, name, own, other: typed.length - free }];
	});
	found.sort((a, b) => b.own - a.own || a.other - b.other || a.from - b.from);
	const chosen: Named[] = [];
	for (const one of found) {
		const isApart = chosen.every(({ from, to }) => one.to <= from || one.from >= to);
		if (isApart && (one.own > 0 || one.to - one.from === words.low.length)) chosen.push(one);
	}
	return chosen;
}

/** Returns true for a word that neither asks, nor talks, nor counts. */
export function isFree(word: string, { isOfQuestion }: NameRules): boolean {
	if (TIME_UNITS.has(word) || /^\d+$/.test(word)) return false;
	return !isOfQuestion(word) && !isChatWord(word);
}

/** Returns true for a name of usual words, which other texts contain by chance: `night shift`. */
export function isUsualName({ text }: Pick<Group, "text">): boolean {
	return text.split(" ").every((word) => {
		if (isChatWord(word) || isCommon(word) || TIME_UNITS.has(word)) return true;
		return isWindowWord(word) || isPastForm(word) || /(?:\d|..ing|..ed|..ly)$/.test(word);
	});
}

/** Returns the words with each name as one word: a collection's in quotes, a ticker with `$`. */
export function quoted(words: Words, spans: readonly Named[]): Words {
	const parts = { raw: [...words.raw], low: [...words.low], starts: [...words.starts] };
	const [kinds, isApart] = [[...words.kinds], [...words.isApart]];
	for (const one of [...spans].sort((a, b) => b.from - a.from)) {
		const { from, to, name } = one;
		const isAsset = name.kind === "asset";
		const typed = isAsset ? `$${name.ticker}` : nameOf(words, one);
		parts.raw.splice(from, to - from, typed);
		parts.low.splice(from, to - from, typed.toLowerCase());
		parts.starts.splice(from, to - from, words.starts[from] ?? 0);
		kinds.splice(from, to - from, isAsset ? "word" : "quoted");
		isApart.splice(from, to - from, words.isApart[from] ?? false);
	}
	return { kind: "words", ...parts, kinds, isApart, hasSigns: false };
}

/** Returns a name as it was typed. */
export function nameOf({ raw }: Words, { from, to }: Range): string {
	return raw.slice(from, to).join(" ").replace(/'s?$/, "");
}

function runsOf(words: Words, places: readonly number[]): Range[] {
	const runs: Range[] = [];
	for (const at of places) {
		const last = runs.at(-1);
		if (last && last.to === at && !words.isApart[at]) last.to = at + 1;
		else runs.push({ from: at, to: at + 1 });
	}
	return runs;
}

/** Returns the part of a run that is written like a name; all of it where nothing is. */
function properPart({ proper }: Words, run: Range): Range {
	let { from, to } = run;
	while (from < to && !proper?.has(from)) from += 1;
	while (to > from && !proper?.has(to - 1)) to -= 1;
	return from < to ? { from, to } : run;
}

/** Returns true where a longer name says all of a shorter one: `a captain of the captains club`. */
function isSaidBy({ low }: Words, short: Range, long: Range): boolean {
	const stems = ({ from, to }: Range) =>
		low.slice(from, to).flatMap((word) => (isVague(word) ? [] : [word.replace(/'?s$/, "")]));
	const said = stems(long);
	return stems(short).every((stem) => said.includes(stem));
}

/** Returns true for usual words in a sentence of talk: `… mint site? i am afraid a little`. */
function isAside(words: Words, { from, to }: Range, isTopic: ReadonlySet<number>): boolean {
	if (!isTalk(words, { from, to })) return false;
	let [start, end] = [from, to];
	while (start > 0 && !words.isApart[start]) start -= 1;
	while (end < words.low.length && !words.isApart[end]) end += 1;
	const hasTopic = [...isTopic].some((at) => at >= start && at < end);
	return !hasTopic && scoreOf(words, { from, to }, isTopic) === 0;
}

/** Weighs how much a run of words is like a name. */
function scoreOf(words: Words, { from, to }: Range, isTopic: ReadonlySet<number>): number {
	const { low, isApart } = words;
	let before = from - 1;
	while (before >= 0 && ARTICLES.has(low[before] ?? "") && !isTopic.has(before)) before -= 1;
	const isNamed = before >= 0 && NAMING.has(low[before] ?? "") && !isTopic.has(before);
	let end = to;
	while (/^\d+$/.test(low[end] ?? "") && !isApart[end]) end += 1;
	const isAlone =
		isSegment(words, { from: before + 1, to: end }) && (isApart[from] || end < low.length);
	const isBeside = isTopic.has(from - 1) || isTopic.has(to);
	const unusual = isTalk(words, { from, to }) ? 0 : UNUSUAL;
	const isProper = words.proper?.has(from) === true;
	return (
		(isProper ? PROPER : 0) + (isNamed || isAlone ? ANCHORED : 0) + unusual + (isBeside ? 1 : 0)
	);
}

/** Returns true for words between two signs, or a sign and an end, that stand alone there. */
function isSegment({ low, isApart }: Words, { from, to }: Range): boolean {
	return (from === 0 || isApart[from] === true) && (to === low.length || isApart[to] === true);
}

/** Returns true for the end of a name whose beginning is a usual word: `about half past human`. */
function isCut(words: Words, { from }: Range, rest: readonly number[]): boolean {
	const { low, isApart } = words;
	const at = from - 2;
	if (!CUTTING.has(low[from - 1] ?? "") || !rest.includes(at) || isApart[from - 1]) return false;
	const isBegun = at === 0 || isApart[at] === true || NAMING.has(low[at - 1] ?? "");
	return isBegun && roleOf(words, at) !== "chat";
}

/** Returns true for one unknown word in front of a name: `sales feed for azuki`. */
function isBesideName(
	{ low }: Words,
	[{ from, to }, name]: [Range, Range],
	isTopic: ReadonlySet<number>,
): boolean {
	// `otherdeed for otherside` is one name; `sales feed for azuki` contains one.
	const isOfName = NAMING.has(low[to] ?? "") && !isTopic.has(from - 1);
	return to - from === 1 && !isOfName && NAMING.has(low[name.from - 1] ?? "");
}

/** Returns true for usual words behind the last `or`: `are bids thick or paper thin`. */
function isAfterthought(words: Words, run: Range): boolean {
	const or = words.low.lastIndexOf("or");
	return or > 0 && run.from > or && isTalk(words, run);
}

/** Returns neighbouring words that could be a name, once for each place and length. */
function groupsOf(words: Words, known: NameRules): Group[] {
	const { low, kinds, isApart } = words;
	if (low.length > WORDS_MAX || kinds.includes("quoted")) return [];
	const groups: Group[] = [];
	for (let from = 0; from < low.length; from++) {
		if (BEFORE_NAMES.has(low[from] ?? "")) continue;
		for (let to = from + 1; to <= low.length && to - from <= NAME_WORDS_MAX; to++) {
			const last = to - 1;
			if (last > from && isApart[last]) break;
			if (!isNameWord(words, last, known.rules)) break;
			if (BEHIND_NAMES.has(low[last] ?? "")) continue;
			const isShare = SHARES.has(low[to] ?? "");
			if (last === from && isUsual(words, from, known) && !isShare) continue;
			const text = low.slice(from, to).join(" ");
			groups.push({ from, to, text: text.replace(/'s?$/, "") });
		}
	}
	return groups;
}

/** Returns true for a word that is hardly a name alone, unless it is written in capitals: `NOW`. */
function isUsual({ low, raw }: Words, at: number, { isOfQuestion }: NameRules): boolean {
	const [word = "", typed = ""] = [low[at]?.replace(/'s?$/, ""), raw[at]];
	if (/^\d+$/.test(word) || word.length < 2) return true;
	if (/^[A-Z]{2,5}$/.test(typed) && raw.some((one) => /^[a-z]/.test(one))) return false;
	if (isChatWord(word) || isOrderWord(word) || isWindowWord(word)) return true;
	return isOfQuestion(word) || isCommon(word);
}

/** Returns false for a ticker in a text that speaks of NFTs: `price of the apple nft`. */
function mayBe({ kind }: KnownName, { low }: Words): boolean {
	return kind === "collection" || !low.some((word) => NFT_WORDS.has(word) || /^#\d/.test(word));
}
