// Collects the words that point to commands, and finds them in a text.

import { isOrderWord } from "#agent/grammar/orders.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import { isMistyped } from "#agent/grammar/tolerance.ts";
import type { WalkRules } from "#agent/grammar/walkForms.ts";
import { isChatWord } from "#agent/grammar/wordRoles.ts";
import type { Command } from "#core/plugin/Tool.ts";

/** For each command, the places of words that point to it. */
export type Signs = Map<Command, Set<number>>;

export type TopicSigns = {
	/** Finds the words of all topics in a text, also misspelled. */
	find(words: Words): Signs;
	/** True for a word that belongs to the question `command`, and not to a name beside it. */
	belongsTo(command: Command, low: string): boolean;
	/** True for a word of this command's topic, of one that takes precedence over it, or of any. */
	isOf(command: Command, low: string): boolean;
	isOfStronger(command: Command, low: string): boolean;
	isOfAny(low: string): boolean;
	/** The same, also for a misspelled one. */
	isNear(low: string): boolean;
	/** True for two words that are one sign: `sales feed`. */
	isPhrase(first: string, second: string): boolean;
};

/** Collects the topics of commands, so that each word of a text is looked up once. */
export function createTopicSigns(
	commands: readonly Command[],
	{ isReserved, isKnown }: WalkRules,
): TopicSigns {
	const phrases = new Map<string, Phrase[]>();
	const single = new Map<string, Set<Command>>();
	for (const command of commands) {
		for (const text of command.topic?.words ?? []) {
			// A word that begins a command which moves value proves nothing alone: `hold azuki`.
			if (isReserved(text)) continue;
			const parts = text.split(/ ?… ?/).map((part) => part.split(" "));
			const [[first = ""] = []] = parts;
			phrases.set(first, [...(phrases.get(first) ?? []), { command, parts }]);
			if (text === first) single.set(text, (single.get(text) ?? new Set()).add(command));
		}
	}
	const pairs = new Set(
		commands
			.flatMap(({ topic }) => topic?.words ?? [])
			.filter((text) => /^[^ ]+ [^ …]+$/.test(text)),
	);
	/** Single words by their length, of which a misspelling is at most one letter apart. */
	const byLength = new Map<number, [string, ReadonlySet<Command>][]>();
	for (const one of single) {
		for (const length of [-1, 0, 1].map((n) => one[0].length + n)) {
			if (one[0].length >= TYPO_MIN) byLength.set(length, [...(byLength.get(length) ?? []), one]);
		}
	}
	const nearBy = (low: string) => byLength.get(low.length) ?? [];

	function find(words: Words): Signs {
		const signs: Signs = new Map();
		for (const [at, word] of words.low.entries()) {
			if (word === "asks" && isSaid(words, at)) continue;
			for (const { command, parts } of phrases.get(word) ?? []) {
				const places = standsAt(parts, words, at);
				// `my bags` are no collection's: only a phrase that begins with `my` speaks of them.
				const isOwn = words.low[at - 1] === "my" && places?.length === 1;
				if (places && !isOwn) note(signs, command, places);
			}
		}
		addMisspelled(words, signs);
		return signs;
	}

	/** Adds misspelled words: of a topic found already, or of any where none was found. */
	function addMisspelled(words: Words, signs: Signs): void {
		const isOpen = signs.size === 0;
		for (const [at, word] of words.low.entries()) {
			if (words.kinds[at] !== "word" || word.length < TYPO_MIN || isKnown(word)) continue;
			if (isChatWord(word) || isOrderWord(word)) continue;
			for (const [meant, of] of nearBy(word)) {
				if (!isMistyped(word, meant)) continue;
				for (const command of of) {
					if (isOpen || word.length >= LONG_WORD || signs.has(command)) note(signs, command, [at]);
				}
			}
		}
	}

	return {
		find,
		belongsTo(command, low) {
			const isOf = (of: ReadonlySet<Command>) =>
				[...of].some((one) => one === command || command.topic?.over?.includes(one.name));
			if (isOf(single.get(low) ?? NONE)) return true;
			if (low.length < TYPO_MIN || isKnown(low)) return false;
			return nearBy(low).some(
				([word, of]) => isMistyped(low, word) && (low.length >= LONG_WORD || isOf(of)),
			);
		},
		isOf: (command, low) => single.get(low)?.has(command) === true,
		isOfStronger: (command, low) =>
			[...(single.get(low) ?? NONE)].some(({ topic }) => topic?.over?.includes(command.name)),
		isOfAny: (low) => single.has(low),
		isNear: (low) => single.has(low) || nearBy(low).some(([word]) => isMistyped(low, word)),
		isPhrase: (first, second) => pairs.has(`${first} ${second}`),
	};
}

/** Returns true where somebody asks: `my boss asks for the floor`. */
function isSaid({ low, isApart }: Words, at: number): boolean {
	return (
		at > 0 && !isApart[at + 1] && SAYING.has(low[at + 1] ?? "") && !SIDES.has(low[at - 1] ?? "")
	);
}

const SAYING = new Set("for if about me us whether what how who".split(" "));
const SIDES = new Set("the lowest cheapest any show open all current what bids".split(" "));

/** The most words between two parts of a phrase. */
const GAP_MAX = 7;
/** Shorter words are more often other words than misspelled ones. */
const TYPO_MIN = 5;
/** A word this long resembles no other word, so a misspelling is certain. */
const LONG_WORD = 8;
const NONE: ReadonlySet<Command> = new Set();

/** Words of a topic; other words may stand between its parts. */
type Phrase = { command: Command; parts: readonly (readonly string[])[] };

/** Returns the places of a phrase that begins at `at`; undefined where it does not. */
function standsAt(
	parts: Phrase["parts"],
	{ low, kinds, isApart }: Words,
	at: number,
): number[] | undefined {
	const places: number[] = [];
	let from = at;
	for (const [n, part] of parts.entries()) {
		const stands = () =>
			part.every((word, m) => low[from + m] === word && kinds[from + m] === "word");
		const last = Math.min(low.length, from + GAP_MAX);
		while (n > 0 && from < last && !stands() && !isApart[from]) from += 1;
		if (!stands()) return undefined;
		for (let m = 0; m < part.length; m++) places.push(from + m);
		from += part.length;
	}
	return places;
}

/** Returns the places of all signs. */
export function placesOf(found: Signs): Set<number> {
	return new Set([...found.values()].flatMap((at) => [...at]));
}

/** Adds places of words that point to a command. */
export function note(signs: Signs, command: Command, places: readonly number[]): void {
	const known = signs.get(command) ?? new Set();
	for (const at of places) known.add(at);
	signs.set(command, known);
}
