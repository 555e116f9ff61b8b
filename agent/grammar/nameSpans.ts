// Finds the words of a question that could be names, puts known names in quotes, and takes the one.

import { isNameWord, isWindowWord, type SlotRules, TIME_UNITS } from "#agent/grammar/readSlot.ts";
import {
	closedWords,
	isDeciding,
	isFunctionWord,
	setOf,
	type Words,
} from "#agent/grammar/splitWords.ts";
import type { Draft } from "#agent/grammar/takeValues.ts";
import type { KnownName, KnownNames } from "#core/plugin/Tool.ts";

export type NameRules = {
	rules: SlotRules;
	/** Returns whether a word shows a topic by itself. */
	isTopical(low: string): boolean;
};

/** The words from `from` to before `to`, and what they are. */
type Span = { from: number; to: number; text: string; name: KnownName };

/** The most words of a name that is looked up, and of a text in which names are. */
const NAME_WORDS_MAX = 6;
const WORDS_MAX = 40;
const { LINKING, NARROWING } = closedWords;

/** Returns the groups of neighbouring words that could be names; none for a text with quotes. */
export function namesToAsk(words: Words, rules: NameRules): string[] {
	const groups = groupsOf(words, rules).map(({ text }) => text);
	return [...new Set([...groups, ...groups.flatMap(spellingsOf)])];
}

/** Returns the other ways to write the `and` of a name: `moss n marrow`. */
function spellingsOf(text: string): string[] {
	if (!AND.test(text)) return [];
	return ["and", "&"].map((word) => text.replace(AND, ` ${word} `)).filter((one) => one !== text);
}

const AND = / (?:and|n|'n'|&) /;

/**
 * Returns the ways to read a text with its known names as one word each: a collection's in quotes,
 * a ticker with its sign. The way that takes no word of a topic for a name comes first: anybody can
 * call a collection `azuki floor`. Of names that overlap the longest counts.
 */
export function withKnownNames(words: Words, names: KnownNames, rules: NameRules): Words[] {
	const spans = groupsOf(words, rules).flatMap((group) => {
		const text = [group.text, ...spellingsOf(group.text)].find((one) => names.has(one));
		const name = text === undefined ? undefined : names.get(text);
		return name && text !== undefined ? [{ ...group, text, name }] : [];
	});
	const plain = spans.filter(({ text }) => !text.split(" ").some(rules.isTopical));
	const ways = plain.length === spans.length ? [spans] : [plain, spans];
	return ways.filter((way) => way.length > 0).map((way) => quoted(words, longestOf(way)));
}

function longestOf(spans: readonly Span[]): Span[] {
	const chosen: Span[] = [];
	for (const one of spans.toSorted((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from)) {
		if (chosen.every(({ from, to }) => one.to <= from || one.from >= to)) chosen.push(one);
	}
	return chosen;
}

/** Returns neighbouring words of which one at least neither asks, nor talks, nor counts. */
function groupsOf(words: Words, { rules, isTopical }: NameRules) {
	const { low, kinds, isApart } = words;
	const groups: { from: number; to: number; text: string }[] = [];
	if (low.length > WORDS_MAX || kinds.includes("quoted")) return groups;
	const isOpen = (at: number) => {
		const word = bare(low[at] ?? "");
		if (isFunctionWord(word) || isTopical(word) || isWindowWord(word)) return false;
		return word.length > 1 && !TIME_UNITS.has(word) && !/^\d+$/.test(word);
	};
	for (let from = 0; from < low.length; from++) {
		let hasOpen = false;
		for (let to = from + 1; to <= low.length && to - from <= NAME_WORDS_MAX; to++) {
			const last = to - 1;
			if ((last > from && isApart[last]) || !isNameWord(words, last, rules)) break;
			hasOpen ||= isOpen(last);
			if (!hasOpen || LINKING.has(low[last] ?? "")) continue;
			groups.push({ from, to, text: bare(low.slice(from, to).join(" ")) });
		}
	}
	return groups;
}

function bare(text: string): string {
	return text.replace(/'s?$/, "");
}

/** Returns the words with each name as one word. */
function quoted(words: Words, spans: readonly Span[]): Words {
	const { raw, low, starts } = words;
	const next: Words = { ...words, raw: [], low: [], starts: [], kinds: [], isApart: [] };
	for (let at = 0; at < low.length; at++) {
		const span = spans.find(({ from }) => from === at);
		const said = bare(raw.slice(at, span?.to).join(" "));
		const typed = span && said.toLowerCase() !== span.text ? span.text : said;
		const asset = span?.name.kind === "asset" ? `$${span.name.ticker}` : undefined;
		const one = span ? (asset ?? typed) : (raw[at] ?? "");
		next.raw.push(one);
		next.low.push(one.toLowerCase());
		next.starts.push(starts[at] ?? 0);
		next.kinds.push(span && asset === undefined ? "quoted" : (words.kinds[at] ?? "word"));
		next.isApart.push(words.isApart[at] ?? false);
		if (span) at = span.to - 1;
	}
	return next;
}

/**
 * Takes the one name: in quotes or known, else the one run of words without another meaning. What
 * stands beside a known name without a word between them belongs to it: `azuki elementals` is not
 * `azuki`, and whoever resolves names asks back.
 */
export function takeName(draft: Draft): boolean {
	const { words, roles, taker } = draft;
	const slot = taker.slotOf("collection");
	const given = roles.flatMap((role, at) => (role === "name" ? [at] : []));
	if (slot === undefined) return given.length === 0;
	if (slot in draft.values) return given.length === 0;
	if (taker.isPair) return takePair(draft, slot, given);
	const [at] = given;
	const runs = at === undefined ? runsOf(draft) : [widened(draft, at)];
	const [run] = runs;
	if (at !== undefined && given.some((other) => words.low[other] !== words.low[at])) return false;
	if (!run || runs.length > 1) return run === undefined;
	for (let n = run.from; n < run.to; n++) {
		if (roles[n] !== "name" && !isNameWord(words, n, draft.rules)) return false;
		if (roles[n] === "open" && isNoName(draft, n)) return false;
		roles[n] = "name";
	}
	draft.isGuess = at === undefined || run.to - run.from > 1;
	draft.values[slot] = words.raw.slice(run.from, run.to).join(" ").replace(/'s?$/, "");
	return true;
}

/** Takes two known names, each alone, with a word between them that compares; none beside `my`. */
function takePair(draft: Draft, slot: string, given: readonly number[]): boolean {
	const { words, values } = draft;
	const [one, other, ...more] = [...new Map(given.map((at) => [words.low[at], at])).values()];
	if (one === undefined || other === undefined || more.length > 0) return false;
	const before = words.low.slice(one + 1, other).reverse();
	const joint = before.find((low) => JOINTS.has(low) || !isFunctionWord(low));
	const spans = given.map((at) => widened(draft, at));
	if (!JOINTS.has(joint ?? "") || spans.some(({ from, to }) => to - from > 1)) return false;
	values[slot] = words.raw[one] ?? "";
	values["other"] = words.raw[other] ?? "";
	return !words.low.some((low) => low === "i" || low === "my");
}

const JOINTS = setOf("vs versus or and than against compared");
/** Words that say nothing more where both of two figures are told. */
export const COMPARING = setOf(
	"vs versus or and than compare compared comparing between against both which with more less " +
		"higher lower bigger smaller better cheaper",
);

/** Returns true for a word that has another meaning, and so is part of no name without quotes. */
function isNoName({ words, topics }: Draft, at: number): boolean {
	const low = words.low[at] ?? "";
	return topics.isTopical(low) || isDeciding(low) || NARROWING.has(low);
}

/** Returns the runs of open words, with words such as `of` between two of them. */
function runsOf({ words, roles, taker }: Draft): { from: number; to: number }[] {
	const { low, isApart } = words;
	const runs: { from: number; to: number }[] = [];
	for (let at = 0; at < low.length; at++) {
		if (roles[at] !== "open") continue;
		let to = at + 1;
		for (;;) {
			let next = to;
			while (
				next < low.length &&
				!isApart[next] &&
				LINKING.has(low[next] ?? "") &&
				roles[next] !== "topic"
			)
				next += 1;
			if (next >= low.length || isApart[next] || roles[next] !== "open") break;
			to = next + 1;
		}
		const isNumbered = roles[to] === "number" && !isApart[to] && !taker.needed.has("token");
		const end = isNumbered ? to + 1 : to;
		const from =
			low[at - 1] === "the" && !isApart[at] && roles[at - 1] === "function" ? at - 1 : at;
		runs.push({ from, to: end });
		at = end - 1;
	}
	return runs;
}

/**
 * Returns a known name with the open words beside it, also behind a word that joins two parts of a
 * name (`beanz of azuki`, `azuki and beanz`); a number where no id is asked for.
 */
function widened({ words, roles, taker }: Draft, at: number): { from: number; to: number } {
	const { low, isApart } = words;
	const isNamed = (n: number) => {
		if (roles[n] === "number") return n > at && taker.slotOf("token") === undefined;
		return roles[n] === "open" && !NARROWING.has(low[n] ?? "") && !isDeciding(low[n] ?? "");
	};
	const isJoin = (n: number) => {
		return roles[n] === "function" && (LINKING.has(low[n] ?? "") || low[n] === "by");
	};
	let [from, to] = [at, at + 1];
	const isBefore = (n: number) => !STORY_VERBS.has(low[n] ?? "") && (isNamed(n) || isJoin(n));
	for (let n = from - 1; n >= 0 && !isApart[n + 1] && isBefore(n); n--) {
		if (isNamed(n)) from = n;
	}
	for (let n = to; n < low.length && !isApart[n] && (isNamed(n) || isJoin(n)); n++) {
		if (isNamed(n)) to = n + 1;
	}
	return { from, to };
}

/** Verbs in front of a name that are no part of it: `i've been following azuki`. */
const STORY_VERBS = setOf(
	"following followed own owned owning collecting collected eyeing missed heard seen saw love " +
		"joined considering inherited gave gifted got grabbed holding found noticed mentioned",
);
