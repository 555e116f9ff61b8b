import type { Node } from "#agent/grammar/compileForms.ts";
import type { Look } from "#agent/grammar/createReader.ts";
import { isWindowWord } from "#agent/grammar/readSlot.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import {
	isEmptyWord,
	isOneLetterOff,
	type Range,
	squeezed,
	withoutFillers,
} from "#agent/grammar/tolerance.ts";
import type { Found, WalkHow, WalkRules } from "#agent/grammar/walkForms.ts";

/** Holds the forms under a root against words. */
export type LookAt = (root: Node, words: Words, range: Range, how: WalkHow) => Look;

export type LooseReader = {
	look: LookAt;
	rules: WalkRules;
	root: Node;
	/** What commands begin with, and what those that are printed begin with. */
	heads: ReadonlySet<string>;
	mainHeads: ReadonlySet<string>;
};

/**
 * Reads words as commands that only read: at first as they stand, then with more and more patience.
 * The first way in which one command reads them counts.
 */
export function readLoose(typed: Words, reader: LooseReader): Look {
	const { look, root, rules, heads, mainHeads } = reader;
	const words = drawnOut(withoutSigns(typed), rules);
	const whole = { from: 0, to: words.low.length };
	const isBeginning = (low: string) => heads.has(low) || isWindowWord(low);
	const isNearHead = (low: string) =>
		isBeginning(low) || [...heads].some((head) => isOneLetterOff(low, head));
	const rangeOf = (isHead: (low: string) => boolean, isPatient = false) =>
		withoutFillers(words, whole, { isHead, isPatient });

	const asked = look(root, words, rangeOf(isBeginning), { mode: "loose" });
	if (asked.found.length > 0) return asked;
	const named = look(root, words, asked.range, { mode: "loose", isBold: true });
	if (named.found.length === 1 && named.found.every((one) => isNamed(words, one, mainHeads))) {
		return named;
	}
	// A time is dropped only where no command has a place for it.
	const first = look(root, words, rangeOf(isNearHead), { mode: "typos" });
	if (first.found.length === 1) return first;
	const meant = look(root, words, rangeOf(isNearHead, true), { mode: "typos" });
	if (meant.found.length === 1) return meant;
	// Last, as forms such as `what is {collection}` take nearly everything for a name.
	const all = look(root, words, whole, { mode: "loose" });
	if (all.found.length > 0 && !all.found.some((one) => namesHead(words, one, rules))) return all;
	// What could be a misspelling of two commands is read as none of them.
	const best = meant.far - meant.range.from >= all.far ? meant : all;
	return { ...best, found: [] };
}

/** Words with a letter too often become the words that they are meant to be: `flooor`. */
function drawnOut(words: Words, rules: WalkRules): Words {
	const low = words.low.map((word, at) =>
		words.kinds[at] === "word" ? squeezed(word, rules.isKnown) : word,
	);
	return low.some((word, at) => word !== words.low[at]) ? { ...words, low } : words;
}

/**
 * True where the first name begins like a question (`cool cats`, as `cool mints` is one) and has no
 * word that is printed first: `top holders kiln volume` asks for two things.
 */
function isNamed(
	{ low }: Words,
	{ names: [name] }: Found,
	mainHeads: ReadonlySet<string>,
): boolean {
	if (!name || isEmptyWord(low[name.from] ?? "")) return false;
	return low.slice(name.from, name.to).every((word) => !mainHeads.has(word));
}

/** True where a name has a word in it that begins commands: more was asked than was read. */
function namesHead({ low }: Words, { names }: Found, rules: WalkRules): boolean {
	return names.some(({ from, to }) => low.slice(from, to).some(rules.isHead));
}
