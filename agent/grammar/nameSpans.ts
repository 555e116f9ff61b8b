// Finds the words of a question that could be names, and puts known names in quotes.

import { isNameWord, isWindowWord, type SlotRules, TIME_UNITS } from "#agent/grammar/readSlot.ts";
import { closedWords, isFunctionWord, type Words } from "#agent/grammar/splitWords.ts";
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
const { LINKING } = closedWords;

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
