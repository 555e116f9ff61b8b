import { compileForms, type Node } from "#agent/grammar/compileForms.ts";
import { createTopicReader } from "#agent/grammar/createTopicReader.ts";
import { type FormItem, headsOf, parseForms, wordsOf } from "#agent/grammar/parseForm.ts";
import { type LookAt, readLoose } from "#agent/grammar/readLoose.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import { type Found, type Walked, type WalkRules, walkForms } from "#agent/grammar/walkForms.ts";
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
		const isMoving = isStrict(command);
		assert(!isMoving || !command.topic, `${command.name} moves something: it has no topic`);
		return { command, forms, isStrict: isMoving, words, heads };
	});
}

/** What reading came to; where it was given up when `found` is empty. */
export type Look = Walked & { words: Words; range: Range };

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

	const topics = createTopicReader(
		entries.filter(({ isStrict }) => !isStrict),
		rules,
	);

	const look: LookAt = (root, words, range, how) => walkForms(root, words, range, how, rules);
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
		readLoose: (words) =>
			readLoose(words, { look, rules, root: looseRoot, heads, mainHeads, topics }),
		secondCommand({ words }, { names }) {
			for (const { from, to } of names) {
				for (let at = from + 1; at < to; at++) {
					// Behind its last word a name has nothing that another command could be about.
					const isJoined = CONNECTIVES.has(words.low[at - 1] ?? "");
					if ((at < to - 1 || isJoined) && isSecond(words, at)) return words.starts[at];
				}
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
