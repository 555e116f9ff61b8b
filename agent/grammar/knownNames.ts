import type { Look } from "#agent/grammar/createReader.ts";
import { readOneSentence, type SentenceRules } from "#agent/grammar/readOneSentence.ts";
import { isWindowWord } from "#agent/grammar/readSlot.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import { isChatWord, isCommon, isOrderWord } from "#agent/grammar/wordRoles.ts";
import type { KnownName, KnownNames } from "#core/plugin/NameBook.ts";

/** Says whether a word belongs to a form or a topic. */
export type IsOfQuestion = (low: string) => boolean;

type Group = Range & { text: string };

/** Returns the groups of neighbouring words that could be names; none for a text with quotes. */
export function namesToAsk(typed: Words, isOfQuestion: IsOfQuestion): string[] {
	return [...new Set(groupsOf(withoutSigns(typed), isOfQuestion).map(({ text }) => text))];
}

/**
 * Reads a question again with the names in it put in quotes; undefined where no known name changes
 * what its words say alone.
 *
 * Anybody can call a collection `price of azuki`. So a reading whose name is known stays, unless a
 * longer name contains it (`bad idea club` and `club`) without words that ask something.
 */
export function readKnown(typed: Words, plain: Look, reading: KnownReading): Look | undefined {
	const { names, isOfQuestion, read } = reading;
	const words = withoutSigns(typed);
	const found = groupsOf(words, isOfQuestion).flatMap((group) => {
		const name = names.get(group.text);
		return name ? [{ ...group, name }] : [];
	});
	const all = longest(found);
	const [only] = all;
	const asked = only && all.length === 1 ? readOneSentence(quoted(words, all), reading) : undefined;
	if (asked?.isQuestion) return asked.look;
	const chosen = all.filter((one) => mayChange(one, plain, { names, isOfQuestion }));
	for (const spans of attemptsOf(chosen)) {
		const look = read(quoted(words, spans));
		const values = look.found.flatMap((one) => Object.values(one.values));
		const isWhole = spans.every((one) => {
			return values.includes(one.name.kind === "asset" ? one.name.ticker : nameOf(words, one));
		});
		if (look.found.length === 1 && isWhole) return look;
	}
	return chosen.length > 0 ? asked?.look : undefined;
}

/** Returns all names together, then the longest alone. */
function attemptsOf([one, other, ...more]: readonly Named[]): Named[][] {
	if (!one) return [];
	if (!other) return [[one]];
	const isLonger = one.to - one.from > other.to - other.from;
	return [[one, other, ...more], ...(isLonger ? [[one]] : [])];
}

export type KnownReading = SentenceRules & { names: KnownNames; isOfQuestion: IsOfQuestion };

type Named = Group & { name: KnownName };

/** The most words of a name that is looked up, and of a text in which names are. */
const NAME_WORDS_MAX = 6;
const WORDS_MAX = 40;

function groupsOf(words: Words, isOfQuestion: IsOfQuestion): Group[] {
	const { low, kinds, isApart } = words;
	if (low.length > WORDS_MAX || kinds.includes("quoted")) return [];
	const groups: Group[] = [];
	for (let from = 0; from < low.length; from++) {
		if (BEFORE_NAMES.has(low[from] ?? "")) continue;
		for (let to = from + 1; to <= low.length && to - from <= NAME_WORDS_MAX; to++) {
			const last = to - 1;
			if ((last > from && isApart[last]) || !WORD.test(low[last] ?? "")) break;
			if (kinds[last] !== "word" || BEHIND_NAMES.has(low[last] ?? "")) continue;
			if (last === from && isUsual(words, from, isOfQuestion)) continue;
			const text = low.slice(from, to).join(" ");
			groups.push({ from, to, text: text.replace(/'s?$/, "") });
		}
	}
	return groups;
}

/** Returns true for a word that is hardly a name alone, unless it is written in capitals: `NOW`. */
function isUsual({ low, raw }: Words, at: number, isOfQuestion: IsOfQuestion): boolean {
	const [word = "", typed = ""] = [low[at], raw[at]];
	if (/^\d+$/.test(word) || word.length < 2) return true;
	if (/^[A-Z]{2,5}$/.test(typed) && raw.some((one) => /^[a-z]/.test(one))) return false;
	if (isChatWord(word) || isOrderWord(word) || isWindowWord(word)) return true;
	return isOfQuestion(word) || isCommon(word);
}

const WORD = /^[\p{L}\p{N}&][\p{L}\p{N}'&.+_-]*$/u;
const BEFORE_NAMES = new Set("of and & for at to from is are my by with or".split(" "));
const BEHIND_NAMES = new Set("of and & the a an for on in at to by with or is are".split(" "));

/** Chooses the longest names that do not overlap; the longest is first. */
function longest<One extends Range>(found: readonly One[]): One[] {
	const chosen: One[] = [];
	const sorted = [...found].sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
	for (const one of sorted) {
		if (chosen.every(({ from, to }) => one.to <= from || one.from >= to)) chosen.push(one);
	}
	return chosen;
}

/** Returns true for a name that says more than the reading without it. */
function mayChange(
	{ text, name }: Named,
	plain: Look,
	{ names, isOfQuestion }: Pick<KnownReading, "names" | "isOfQuestion">,
): boolean {
	const [read] = plain.found;
	if (!read || name.kind === "asset") return true;
	const typed = text.split(" ");
	const [range] = read.names;
	if (!range) return typed.some((word) => !isOfQuestion(word) && !isChatWord(word));
	const taken = plain.words.low.slice(range.from, range.to).join(" ").replace(/'s?$/, "");
	const isInside = ` ${text} `.includes(` ${taken} `);
	if (!names.has(taken)) return isInside || typed.some((word) => !isOfQuestion(word));
	const rest = ` ${text} `.replace(` ${taken} `, " ").trim();
	return isInside && rest !== "" && !rest.split(" ").some(isOfQuestion);
}

/** Returns a name as it was typed. */
function nameOf({ raw }: Words, { from, to }: Range): string {
	return raw.slice(from, to).join(" ").replace(/'s?$/, "");
}

/** Returns the words with each name as one word: a collection's in quotes, a ticker with `$`. */
function quoted(words: Words, spans: readonly Named[]): Words {
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
