// Reads words as a command: strictly where value moves, loosely where a command only reads.

import { createTopicReader } from "#agent/grammar/createTopicReader.ts";
import {
	compileForms,
	type Entry,
	headsOf,
	type Node,
	parseForms,
	wordsOf,
} from "#agent/grammar/forms.ts";
import { plainWord } from "#agent/grammar/plainWords.ts";
import type { LookAt } from "#agent/grammar/readLoose.ts";
import { readSentences } from "#agent/grammar/readSentences.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import { type Found, type Look, type WalkRules, walkForms } from "#agent/grammar/walkForms.ts";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { assert } from "#core/fault.ts";
import type { Command } from "#core/plugin/Tool.ts";

/** Parses the forms of commands. Throws at start-up for a form with a syntax error. */
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

export type Reader = {
	rules: WalkRules;
	strictRoot: Node;
	looseRoot: Node;
	/** All words of all forms. */
	known: readonly string[];
	/** Returns true for a word of a form or a topic, also misspelled, or a chain. */
	isOfQuestion(low: string): boolean;
	/** True for the first word of a command that moves value. */
	isStrictHead(low: string): boolean;
	/** Returns true for a word that shows a topic by itself: `holders`. */
	isOfTopic(low: string): boolean;
	/** Reads words as commands that move value: word for word, or not at all. */
	readStrict(words: Words): Look;
	/** Reads words as commands that only read: first exactly, then with more and more tolerance. */
	readLoose(words: Words): Look;
	/**
	 * Returns the position of a second command inside a text that was read as one; undefined for
	 * none.
	 */
	secondCommand(look: Look, found: Found): number | undefined;
};

/**
 * Makes the reader of words. Commands that move value and commands that only read have separate
 * graphs, so that tolerance for questions never reaches a payment.
 */
export function createReader(
	entries: readonly Entry[],
	chains: Pick<ChainRegistry, "bySlug">,
): Reader {
	const { heads, mainHeads, strictHeads } = collectHeads(entries);
	const known = new Set(entries.flatMap(({ words }) => [...words]));
	const topical = new Set(entries.flatMap(({ command }) => command.topic?.words ?? []));
	const rules: WalkRules = {
		chains,
		isReserved: (low) => strictHeads.has(low),
		isHead: (low) => heads.has(low),
		isKnown: (low) => known.has(low) || topical.has(low),
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
		isOfQuestion(typed) {
			const low = plainWord(typed, rules.isKnown);
			if (known.has(low) || topics.isNear(low)) return true;
			return /^[a-z]/.test(low) && chains.bySlug(low) !== undefined;
		},
		isOfTopic: topics.isOfAny,
		isStrictHead: (low) => strictHeads.has(low),
		readStrict: (words) =>
			look(strictRoot, words, { from: 0, to: words.low.length }, { mode: "exact" }),
		readLoose: (words) =>
			readSentences(words, { look, rules, root: looseRoot, heads, mainHeads, topics }),
		secondCommand({ words }, { names }) {
			for (const { from, to } of names) {
				for (let at = from + 1; at < to; at++) {
					// After the last word of a name there is nothing that a second command could be about.
					const isJoined = CONNECTIVES.has(words.low[at - 1] ?? "");
					if ((at < to - 1 || isJoined) && isSecond(words, at)) return words.starts[at];
				}
			}
			return undefined;
		},
	};
}

export const CONNECTIVES = new Set(["and", "then", "also", "plus", "&", ",", ".", "|", "!"]);

/** Collects the first words of commands: of all forms, of printed forms, and of moving commands. */
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
