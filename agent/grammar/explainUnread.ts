// Explains why no command reads a text, and suggests similar commands.

import { CONNECTIVES, type Reader } from "#agent/grammar/createReader.ts";
import type { Entry, Node } from "#agent/grammar/forms.ts";
import { SLOT_LOOKS } from "#agent/grammar/readSlot.ts";
import { isFunctionWord, isOneLetterOff, setOf, type Words } from "#agent/grammar/splitWords.ts";
import type { Look } from "#agent/grammar/walkForms.ts";
import type { Command } from "#core/plugin/Tool.ts";

/**
 * Holds why no command reads a text: a stable code, a sentence, and where (0-based, in UTF-16 code
 * units).
 */
export type Unread = {
	kind: "unread";
	/**
	 * `unknown_command` (no command begins like this), `incomplete`, `not_expected` (an extra word,
	 * or a wrong one), `how_to` (it asks how something is typed), `slot_invalid` (an
	 * amount, an address … of the wrong form), or a refusal of the text as a whole: `text_empty`,
	 * `text_too_long`, `text_mixed_scripts`, `text_confusable`, `text_foreign_digits`,
	 * `text_thousands_separator`, `text_two_commands`, `text_invisible`.
	 */
	code: string;
	detail: string;
	position: number;
	/** Up to three similar commands, in their printed form. */
	near: readonly string[];
};

const NEAR_MAX = 3;

/**
 * Explains why no command reads these words: the code, where reading ended, and similar commands.
 */
export function explainUnread(
	{ strict, loose, words, end }: { strict: Look; loose: Look; words: Words; end: number },
	{
		reader,
		entries,
		shown,
	}: {
		reader: Reader;
		entries: readonly Entry[];
		/** Returns how a command is displayed as a suggestion. */
		shown(command: Command): string;
	},
): Unread {
	const second = secondHead(words, reader);
	const isStrict = reader.isStrictHead(words.low[0] ?? "");
	const look = isStrict ? strict : loose;
	const { far, farNode, range } = look;
	const first = look.words.low[range.from] ?? "";
	// A text that begins with a name, or as any question could, has not begun a particular command.
	const isStarted =
		far > range.from && reader.rules.isHead(first) && (isStrict || !isFunctionWord(first));
	const meant = isStarted ? [...farNode.commands] : [];
	const ranked = nearest(words, reader, entries);
	// `buy tsla with 1k usdg` is swallowed by a form with a name, and looks like the one with `with`.
	const [closest] = ranked;
	const own = entries.find(({ command }) => command === closest)?.words;
	const saysMore = look.words.low.some((low, at) => at > 0 && own?.has(low));
	const isOther = saysMore && isStrict && isStarted && closest && !farNode.commands.has(closest);
	const near = [...new Set([...(isOther ? [closest] : []), ...meant, ...ranked])]
		.slice(0, NEAR_MAX)
		.map(shown);
	const wished = asksHow(words, reader);
	if (wished !== undefined) {
		const shapes = entries.filter(({ heads }) => heads.has(wished)).map(({ command }) => command);
		const detail = `This is how "${wished}" is typed, with your own values.`;
		return { ...HOW, detail, near: shapes.slice(0, NEAR_MAX).map(shown) };
	}
	if (second !== undefined) return { ...SEVERAL, position: second, near };
	const word = look.words.raw[far] ?? "";
	const unread = (code: string, detail: string, position: number): Unread => {
		return { kind: "unread", code, detail, position, near };
	};
	if (!isStarted) {
		const detail = `No command reads this. "${short(words.raw[0] ?? "")}" begins none that fits.`;
		return unread("unknown_command", detail, words.starts[0] ?? 0);
	}
	const expected = expectedAt(farNode);
	if (far >= range.to && isOther) {
		return unread("not_expected", `No form of "${first}" takes all of this.`, end);
	}
	if (far >= range.to) {
		return unread("incomplete", `Something is missing at the end: ${expected}.`, end);
	}
	const isValue = farNode.slots.length > 0 && (farNode.words.size === 0 || /^[\d$#.]/.test(word));
	const detail =
		farNode.ends.length > 0 && expected === ""
			? `The command is complete before "${short(word)}".`
			: `"${short(word)}" does not fit here. Expected: ${expected}.`;
	const position = look.words.starts[far] ?? end;
	return unread(isValue ? "slot_invalid" : "not_expected", detail, position);
}

const HOW = { kind: "unread", code: "how_to", position: 0 } as const;

/** Returns the verb of a question for the way to do something: `how do i buy a kiln folk?`. */
function asksHow({ low, kinds }: Words, { isStrictHead }: Reader): string | undefined {
	const how = low.indexOf("how");
	if (how < 0 || how > HOW_WORDS_MAX) return undefined;
	const near = low.slice(how + 1, how + 1 + HOW_WORDS_MAX);
	const verb = near.findIndex((word, n) => kinds[how + 1 + n] === "word" && isStrictHead(word));
	const isWay = verb >= 0 && near.slice(0, verb).every((word) => WAYS.has(word));
	return isWay ? near[verb] : undefined;
}

const HOW_WORDS_MAX = 4;
const WAYS = setOf("do does can could to would should i you u we one");

/** Refuses a text in which a second command begins. */
export const SEVERAL = {
	kind: "unread",
	code: "text_two_commands",
	detail:
		'This looks like two commands. Send one at a time. A name with such words goes into "double ' +
		'quotes", a ticker gets its dollar sign.',
} as const;

/** Returns the position of a word that begins another command after one was begun. */
function secondHead(
	{ low, kinds, starts }: Words,
	{ rules, isStrictHead }: Reader,
): number | undefined {
	let begun = false;
	for (const [at, word] of low.entries()) {
		if (kinds[at] !== "word") continue;
		const follows = CONNECTIVES.has(low[at - 1] ?? "") && rules.isHead(word);
		if (begun && (follows || isStrictHead(word))) return starts[at];
		if (at === 0 || begun || follows) begun = begun || rules.isHead(word);
	}
	return undefined;
}

function expectedAt(node: Node): string {
	const words = [...node.words.keys()].slice(0, 4).map((word) => `"${word}"`);
	const slots = node.slots.map(({ slot }) =>
		slot.kind === "word" ? slot.of.map((one) => `"${one}"`).join(", ") : SLOT_LOOKS[slot.kind],
	);
	const end = node.ends.length > 0 ? ["nothing more"] : [];
	return [...new Set([...slots, ...words, ...end])].join(", or ");
}

/**
 * Returns commands whose forms contain words of the text, also misspelled; the best match first.
 */
function nearest({ low, kinds }: Words, reader: Reader, entries: readonly Entry[]): Command[] {
	const typed = low.filter(
		(word, at) =>
			kinds[at] === "word" &&
			word.length >= 3 &&
			(reader.isStrictHead(word) || !isFunctionWord(word)),
	);
	const meant = typed.slice(0, TYPED_MAX).map((word) => {
		return reader.rules.isKnown(word) ? [word] : reader.known.filter((one) => isNear(word, one));
	});
	return entries
		.map(({ command, words, heads }) => {
			let score = 0;
			for (const [at, choices] of meant.entries()) {
				const best = choices.find((one) => words.has(one));
				if (best === undefined) continue;
				score += best === typed[at] ? best.length : 2;
				if (at === 0 && heads.has(best)) score += HEAD_SCORE;
			}
			return { command, score };
		})
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score)
		.map(({ command }) => command);
}

/**
 * Returns true for a looser match than a misspelling: `sel` gets `sell` suggested, never read as
 * it.
 */
function isNear(typed: string, word: string): boolean {
	return isOneLetterOff(typed, word) || (word.length > 3 && word.slice(0, -1) === typed);
}

/** Limits how many words of a text are compared with those of all commands. */
const TYPED_MAX = 12;

/** Weighs a first word that begins a command more than any other word. */
const HEAD_SCORE = 8;

function short(word: string): string {
	return word.length > 40 ? `${word.slice(0, 40)}…` : word;
}
