// Reads words as a command: strictly where value moves, loosely where a command only reads.

import {
	compileForms,
	type Entry,
	headsOf,
	type Node,
	parseForms,
	wordsOf,
} from "#agent/grammar/forms.ts";
import { leftOutBy, readQuestion } from "#agent/grammar/readQuestion.ts";
import { isWindowWord } from "#agent/grammar/readSlot.ts";
import {
	closedWords,
	isDeciding,
	isFunctionWord,
	type Words,
	withoutSigns,
} from "#agent/grammar/splitWords.ts";
import { compileTopics, type Topics } from "#agent/grammar/topicPhrases.ts";
import { type Found, type Look, type WalkRules, walkForms } from "#agent/grammar/walkForms.ts";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { assert } from "#core/fault.ts";
import type { Command, SlotValues } from "#core/plugin/Tool.ts";

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
	/** True for the first word of a command that moves value. */
	isStrictHead(low: string): boolean;
	/** Returns true for a word that shows a topic by itself: `holders`. */
	isTopical(low: string): boolean;
	/** Reads words as commands that move value: word for word, or not at all. */
	readStrict(words: Words): Look;
	/** Reads words as commands that only read: by a form, else by a topic; without signs. */
	readLoose(words: Words): Look;
	/** Returns the words that another's reading leaves out; undefined where it may not. */
	leftOutBy(reading: { command: Command; values: SlotValues }, words: Words): string | undefined;
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

	const topics = compileTopics(entries.filter(({ isStrict }) => !isStrict));

	function isSecond(words: Words, at: number): boolean {
		const low = words.low[at] ?? "";
		if (words.kinds[at] !== "word" || !mainHeads.has(low)) return false;
		if (CONNECTIVES.has(words.low[at - 1] ?? "")) return true;
		const { found } = walkForms(
			looseRoot,
			words,
			{ from: at, to: words.low.length },
			"exact",
			rules,
		);
		return found.some(({ values }) => Object.keys(values).length > 0);
	}

	return {
		rules,
		strictRoot,
		looseRoot,
		known: [...known],
		isTopical: topics.isTopical,
		isStrictHead: (low) => strictHeads.has(low),
		readStrict: (words) =>
			walkForms(strictRoot, words, { from: 0, to: words.low.length }, "exact", rules),
		readLoose: (words) => readLoose(withoutSigns(words), { looseRoot, rules, topics, mainHeads }),
		leftOutBy(reading, words) {
			const formWords = entries.find(({ command }) => command === reading.command)?.words;
			const terms = { topics, rules, formWords: formWords ?? new Set<string>() };
			return leftOutBy(reading, withoutSigns(words), terms);
		},
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

/** The most words on each side of a form that count for nothing. */
const AROUND_MAX = 6;

const ASKING = new Set([...closedWords.PERSONS, "which"]);

type Loose = {
	looseRoot: Node;
	rules: WalkRules;
	topics: Topics;
	mainHeads: ReadonlySet<string>;
};

/**
 * Reads words by the forms, without surrounding words that change nothing; else by a topic. A form
 * counts only if no word of a name in it has another meaning.
 */
function readLoose(words: Words, { looseRoot, rules, topics, mainHeads }: Loose): Look {
	const { low } = words;
	const isAround = (at: number) => {
		const isNear = at < AROUND_MAX || at >= low.length - AROUND_MAX;
		return isNear && words.kinds[at] === "word" && isFunctionWord(low[at] ?? "");
	};
	let whole: Look | undefined;
	for (let from = 0; from < low.length && (from === 0 || isAround(from - 1)); from++) {
		const canBegin = looseRoot.slots.length > 0 || looseRoot.words.has(low[from] ?? "");
		if (!canBegin && whole) continue;
		for (let to = low.length; to > from && (to === low.length || isAround(to)); to--) {
			const look = walkForms(looseRoot, words, { from, to }, "loose", rules);
			whole ??= look;
			if (look.found.length > whole.found.length || look.far > whole.far) whole = look;
			// `who sold kiln folk` asks for persons, and `which kiln folk` for tokens.
			const asksForOthers = low.slice(0, from).some((word) => ASKING.has(word));
			const clear = look.found.filter((one) => {
				if (asksForOthers && "collection" in one.values) return false;
				// `what did i spend on nfts` asks for a part of it.
				if (low.some((word) => one.command.topic?.never?.includes(word))) return false;
				return one.names.every((name) => isClear(words, name)) && !takesTopic(one);
			});
			if (clear.length > 0) return { ...look, found: clear.map(withGuess) };
		}
	}
	const look = whole ?? walkForms(looseRoot, words, { from: 0, to: low.length }, "loose", rules);
	const asked = readQuestion(words, topics, rules);
	if (asked.length > 0) return { ...look, found: asked };
	// In printed form a name may have any words: `traits wonky whales`.
	const isPrinted =
		look.range.from === 0 && look.range.to === low.length && mainHeads.has(low[0] ?? "");
	return { ...look, found: isPrinted ? look.found.map(withGuess) : [] };

	/** Returns true where a word of a topic was taken for a ticker: `stock tokens`. */
	function takesTopic({ command: { slots }, values }: Found): boolean {
		return Object.entries(values).some(([name, value]) => {
			const typed = value.toLowerCase();
			return slots[name]?.kind === "asset" && topics.isTopical(typed) && low.includes(typed);
		});
	}

	function withGuess(one: Found): Found {
		return { ...one, isGuess: one.names.length > 0 };
	}

	/** Returns true for a name of which no word means something else. */
	function isClear(
		{ kinds, low: all }: Words,
		{ from, to }: { from: number; to: number },
	): boolean {
		const isChain = to - from === 1 && rules.chains.bySlug(all[from] ?? "") !== undefined;
		if (isChain && !/^\d/.test(all[from] ?? "")) return false;
		const isOfName = (word: string, n: number) => {
			return kinds[from + n] === "quoted" || !(isFunctionWord(word) || isDeciding(word));
		};
		return (
			all.slice(from, to).some(isOfName) &&
			all.slice(from, to).every((word, n) => {
				if (kinds[from + n] === "quoted") return true;
				if (topics.isTopical(topics.meantBy(word)) || isWindowWord(word)) return false;
				const isInside = n > 0 && from + n < to - 1;
				return !isFunctionWord(word) || isInside || (n === 0 && word === "the" && to - from > 1);
			})
		);
	}
}

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
