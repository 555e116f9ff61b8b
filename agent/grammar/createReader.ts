import { compileForms, type Node } from "#agent/grammar/compileForms.ts";
import { type FormItem, headsOf, parseForms, wordsOf } from "#agent/grammar/parseForm.ts";
import { isWindowWord } from "#agent/grammar/readSlot.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import { isOneLetterOff, type Range, withoutFillers } from "#agent/grammar/tolerance.ts";
import {
	type Found,
	type Walked,
	type WalkHow,
	type WalkRules,
	walkForms,
} from "#agent/grammar/walkForms.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { assert } from "#core/fault/assert.ts";
import type { Command } from "#core/plugin/Command.ts";

export type Entry = {
	command: Command;
	forms: FormItem[][];
	isStrict: boolean;
	/** All words of its forms. */
	words: ReadonlySet<string>;
	/** What its forms begin with; null is a slot. */
	heads: ReadonlySet<string | null>;
};

/** Reads the forms of commands; those that are written badly refuse the boot. */
export function entriesOf(
	commands: readonly Command[],
	isStrict: (command: Command) => boolean,
): Entry[] {
	return commands.map((command) => {
		const forms = parseForms(command);
		const words = new Set(forms.flatMap(wordsOf));
		const heads = new Set(forms.flatMap(headsOf));
		return { command, forms, isStrict: isStrict(command), words, heads };
	});
}

/** What reading came to; where it was given up when `found` is empty. */
export type Look = Walked;

export type Reader = {
	rules: WalkRules;
	strictRoot: Node;
	looseRoot: Node;
	/** All words of all forms. */
	known: readonly string[];
	/** True for the first word of a command that moves something. */
	isStrictHead(low: string): boolean;
	/** Reads as commands that move something: word for word, or not at all. */
	readStrict(words: Words): Look;
	/** Reads as commands that only read, at first as it stands, then with more and more patience. */
	readLoose(words: Words): Look;
	/** The position of a second command in one that was read, if there is one. */
	secondCommand(look: Look, found: Found): number | undefined;
};

/** Reads words as commands. Those that move something and those that only read never mix. */
export function createReader(
	entries: readonly Entry[],
	chains: Pick<ChainRegistry, "bySlug">,
): Reader {
	const { heads, mainHeads, strictHeads } = collectHeads(entries);
	const known = new Set(entries.flatMap(({ words }) => [...words]));
	const rules: WalkRules = {
		chains,
		isReserved: (low) => strictHeads.has(low),
		isHead: (low) => heads.has(low),
		isKnown: (low) => known.has(low),
	};
	const strictRoot = compileForms(entries.filter(({ isStrict }) => isStrict));
	const looseRoot = compileForms(entries.filter(({ isStrict }) => !isStrict));

	function look(root: Node, words: Words, range: Range, how: WalkHow): Look {
		return walkForms(root, words, range, how, rules);
	}

	function readLoose(typed: Words): Look {
		const words = withoutSigns(typed);
		const whole = { from: 0, to: words.low.length };
		const plain = { isHead: isBeginning, isPatient: false };
		const asked = look(looseRoot, words, withoutFillers(words, whole, plain), { mode: "loose" });
		if (asked.found.length > 0) return asked;
		// A time is dropped only where no command has a place for it.
		const timed = { isHead: isNearHead, isPatient: false };
		const first = look(looseRoot, words, withoutFillers(words, whole, timed), { mode: "typos" });
		if (first.found.length === 1) return first;
		const patient = { isHead: isNearHead, isPatient: true };
		const meant = look(looseRoot, words, withoutFillers(words, whole, patient), { mode: "typos" });
		if (meant.found.length === 1) return meant;
		// Last, as forms such as `what is {collection}` take nearly everything for a name.
		const all = look(looseRoot, words, whole, { mode: "loose" });
		if (all.found.length > 0 && !all.found.some((one) => namesHead(words, one))) return all;
		const named = look(looseRoot, words, asked.range, { mode: "loose", isBold: true });
		if (named.found.length === 1 && named.found.every((one) => isNamed(words, one))) return named;
		// What could be a misspelling of two commands is read as none of them.
		const best = meant.far - meant.range.from >= all.far ? meant : all;
		return { ...best, found: [] };
	}

	function isBeginning(low: string): boolean {
		return heads.has(low) || isWindowWord(low);
	}

	/**
	 * True where the first name begins like a question (`cool cats`, as `cool mints` is one) and has
	 * no word that is printed first: `top holders kiln volume` asks for two things.
	 */
	function isNamed({ low }: Words, { names: [name] }: Found): boolean {
		if (!name) return false;
		return low.slice(name.from, name.to).every((word) => !mainHeads.has(word));
	}

	/** True where a name has a word in it that begins commands: more was asked than was read. */
	function namesHead({ low }: Words, { names }: Found): boolean {
		return names.some(({ from, to }) => low.slice(from, to).some(rules.isHead));
	}

	function isNearHead(low: string): boolean {
		return isBeginning(low) || [...heads].some((head) => isOneLetterOff(low, head));
	}

	function isSecond(words: Words, at: number): boolean {
		const low = words.low[at] ?? "";
		if (words.kinds[at] !== "word" || !mainHeads.has(low)) return false;
		if (CONNECTIVES.has(words.low[at - 1] ?? "")) return true;
		const { found } = look(looseRoot, words, { from: at, to: words.low.length }, { mode: "exact" });
		return found.some(({ values }) => Object.keys(values).length > 0);
	}

	return {
		rules,
		strictRoot,
		looseRoot,
		known: [...known],
		isStrictHead: (low) => strictHeads.has(low),
		readStrict: (words) =>
			look(strictRoot, words, { from: 0, to: words.low.length }, { mode: "exact" }),
		readLoose,
		secondCommand({ words }, { names }) {
			for (const { from, to } of names) {
				for (let at = from + 1; at < to; at++) if (isSecond(words, at)) return words.starts[at];
			}
			return undefined;
		},
	};
}

export const CONNECTIVES = new Set(["and", "then", "also", "plus", "&", ",", ".", "|", "!"]);

/** What commands begin with: all of them, in the form that is printed, and those that move. */
function collectHeads(entries: readonly Entry[]) {
	const heads = new Set<string>();
	const mainHeads = new Set<string>();
	const strictHeads = new Set<string>();
	for (const { command, forms, isStrict } of entries) {
		for (const [n, form] of forms.entries()) {
			for (const head of headsOf(form)) {
				if (head === null) {
					assert(!isStrict, `the command ${command.name} moves something: it begins with a word`);
					continue;
				}
				heads.add(head);
				if (n === 0) mainHeads.add(head);
				if (isStrict) strictHeads.add(head);
			}
		}
	}
	return { heads, mainHeads, strictHeads };
}
