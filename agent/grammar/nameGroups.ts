import { isOrderWord } from "#agent/grammar/orders.ts";
import { isNameWord, isWindowWord, type SlotRules, TIME_UNITS } from "#agent/grammar/readSlot.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import { isChatWord, isCommon, isPastForm } from "#agent/grammar/wordRoles.ts";
import type { KnownName, KnownNames } from "#core/plugin/NameBook.ts";

export type NameRules = {
	rules: SlotRules;
	/** Returns true for a word of a form or a topic, also misspelled, or a chain. */
	isOfQuestion(low: string): boolean;
};

export type Group = Range & { text: string };
/** Holds a known name. `own`: how many of its words neither ask nor talk, and 1 behind `of`. */
export type Named = Group & { name: KnownName; own: number; other: number };

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
		const own = free + (NAMING.has(words.low[group.from - 1] ?? "") ? 1 : 0);
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

const NAMING = new Set("of for on about".split(" "));

/** Returns true for a word that neither asks, nor talks, nor counts. */
export function isFree(word: string, { isOfQuestion }: NameRules): boolean {
	if (TIME_UNITS.has(word) || /^\d+$/.test(word)) return false;
	return !isOfQuestion(word) && !isChatWord(word);
}

/** Returns false for a ticker in a text that speaks of NFTs: `price of the apple nft`. */
function mayBe({ kind }: KnownName, { low }: Words): boolean {
	return kind === "collection" || !low.some((word) => NFT_WORDS.has(word) || /^#\d/.test(word));
}

const NFT_WORDS = new Set("nft nfts collection collections floor fp mint mints".split(" "));

/** Returns true for a name of usual words, which other texts contain by chance: `night shift`. */
export function isUsualName({ text }: Pick<Group, "text">): boolean {
	return text.split(" ").every((word) => {
		if (isChatWord(word) || isCommon(word) || TIME_UNITS.has(word)) return true;
		return isWindowWord(word) || isPastForm(word) || /(?:\d|..ing|..ed|..ly)$/.test(word);
	});
}

/** The most words of a name that is looked up, and of a text in which names are. */
const NAME_WORDS_MAX = 6;
const WORDS_MAX = 40;

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

/** Lists words behind which a usual word may be a ticker: `hood stock`. */
export const SHARES: ReadonlySet<string> = new Set(
	"stock stocks stonk stonks share shares token".split(" "),
);
const BEFORE_NAMES = new Set("of and & for at to from is are by with or".split(" "));
const BEHIND_NAMES = new Set("of and & the a an for on in at to by with or is are".split(" "));

/** Returns a name as it was typed. */
export function nameOf({ raw }: Words, { from, to }: Range): string {
	return raw.slice(from, to).join(" ").replace(/'s?$/, "");
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
