// Compiles the topics of commands, and finds their phrases in a text.

import { type Entry, neededBy } from "#agent/grammar/forms.ts";
import {
	closedWords,
	isDeciding,
	isFunctionWord,
	isMistyped,
	type Words,
} from "#agent/grammar/splitWords.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

/** Describes a command that a question may ask, with its slots and phrases. */
export type Taker = {
	command: Command;
	needed: ReadonlySet<string>;
	/** Says whether it compares two names: the second one's slot is `other`. */
	isPair: boolean;
	slotOf(kind: Slot["kind"]): string | undefined;
	/**
	 * Phrases by their first word; each part must occur unbroken, other words may be between parts.
	 */
	phrases: Phrases;
	/** Those that say nothing more beside its own. */
	besides: Phrases;
};

type Phrases = ReadonlyMap<string, readonly (readonly (readonly string[])[])[]>;

export type Topics = {
	takers: readonly Taker[];
	/** Says whether a word shows a topic by itself: no name without quotes has such a word. */
	isTopical(low: string): boolean;
	/** Says whether a word is in a phrase of any topic; small words are not. */
	isOfTopic(low: string): boolean;
	/** Returns the topic's word that a misspelled word means; else the word itself. */
	meantBy(low: string): string;
};

const { NARROWING } = closedWords;

/** Matches a letter that occurs three times or more in a row: `flooor`. */
const DRAWN_OUT = /([a-z])\1{2,}/;

/** Words of a phrase, and small words, are tried for misspelled ones from this length on. */
const LONG = 6;
const LONG_SMALL = "current currently please anything possible showing wondering".split(" ");

/** Limits the words between two parts of a phrase. */
const GAP_MAX = 8;

/** Compiles the topics of commands, so that each word of a text is looked up once. */
export function compileTopics(entries: readonly Entry[]): Topics {
	const takers = entries.flatMap((entry) => (entry.command.topic ? [takerOf(entry)] : []));
	const texts = takers.flatMap(({ command }) => command.topic?.words ?? []);
	const single = new Set(texts.filter((text) => !/[ …]/.test(text)));
	const all = new Set(texts.flatMap((text) => text.split(/[ …]+/)));
	const besides = new Set(
		takers.flatMap(({ command }) => command.topic?.beside?.flatMap((text) => text.split(/[ …]+/))),
	);
	// Names are tried without this word too, so a misspelled one takes nothing away.
	const bySize = Map.groupBy([...single, "collection", "collections"], (word) => sizeOf(word));
	const others = [...all].filter((word) => word.length >= LONG && !single.has(word));
	const longs = new Set([...others, ...LONG_SMALL]);
	const longBySize = Map.groupBy(longs, (word) => sizeOf(word));
	return {
		takers,
		isTopical: (low) => single.has(low),
		isOfTopic: (low) => all.has(low) && !isFunctionWord(low) && !NARROWING.has(low),
		meantBy(low) {
			const isKnown = all.has(low) || isFunctionWord(low) || besides.has(low) || isDeciding(low);
			if (low.length < 4 || isKnown) return low;
			if (DRAWN_OUT.test(low)) {
				const spellings = ["$1$1", "$1"].map((letters) => low.replace(DRAWN_OUT, letters));
				const meant = spellings.find((word) => all.has(word) || isFunctionWord(word));
				if (meant !== undefined) return meant;
			}
			// A letter is replaced more often than forgotten, and forgotten more often than added.
			for (const known of [bySize, longBySize]) {
				for (const longer of [0, 1, -1]) {
					const near = known.get(sizeOf(low, longer)) ?? [];
					const [meant, ...more] = near.filter((word) => isMistyped(low, word));
					if (meant !== undefined) return more.length === 0 ? meant : low;
				}
			}
			return low;
		},
	};
}

/** Returns the places of all these phrases. */
export function placesOf(phrases: Phrases, words: Words): Set<number> {
	const places = new Set<number>();
	for (const [at, word] of words.low.entries()) {
		if (words.kinds[at] !== "word") continue;
		for (const parts of phrases.get(word) ?? []) {
			for (const place of standsAt(parts, words, at)) places.add(place);
		}
	}
	return places;
}

/** Returns what a word and its misspelling share, but for so many letters: few are compared. */
function sizeOf(word: string, longer = 0): string {
	return `${word[0]}${word.length + longer}`;
}

function takerOf({ command, forms }: Entry): Taker {
	const slots = Object.entries(command.slots);
	return {
		command,
		needed: neededBy(forms[0] ?? []),
		isPair: "other" in command.slots,
		slotOf: (kind) => slots.find(([, slot]) => slot.kind === kind)?.[0],
		phrases: phrasesOf(command.topic?.words ?? []),
		besides: phrasesOf(command.topic?.beside ?? []),
	};
}

function phrasesOf(texts: readonly string[]): Phrases {
	return Map.groupBy(
		texts.map((text) => text.split(/ ?… ?/).map((part) => part.split(" "))),
		([first]) => first?.[0] ?? "",
	);
}

/** Returns the places of a phrase that begins at `at`; none where it does not. */
function standsAt(
	parts: readonly (readonly string[])[],
	{ low, kinds, isApart }: Words,
	at: number,
): number[] {
	const places: number[] = [];
	let from = at;
	for (const [n, part] of parts.entries()) {
		const stands = () =>
			part.every((word, m) => {
				const isNext = m === 0 || !isApart[from + m];
				return low[from + m] === word && kinds[from + m] === "word" && isNext;
			});
		const last = Math.min(low.length, from + GAP_MAX);
		// A gap ends with its clause: `i was away. azuki volume` has no `was … volume`.
		for (const begin = from; n > 0 && from < last && !stands(); from += 1) {
			if (isApart[from + 1] || (isApart[from] && from > begin)) break;
		}
		if (!stands()) return [];
		for (let m = 0; m < part.length; m++) places.push(from + m);
		from += part.length;
	}
	return places;
}
