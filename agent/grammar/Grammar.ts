// Compiles all commands into one grammar, which reads texts and prints help.

import { createReader, entriesOf, type Reader } from "#agent/grammar/createReader.ts";
import { explainUnread, SEVERAL, type Unread } from "#agent/grammar/explainUnread.ts";
import { type Entry, fillForm } from "#agent/grammar/forms.ts";
import { namesToAsk, withKnownNames } from "#agent/grammar/nameSpans.ts";
import { normaliseText } from "#agent/grammar/normaliseText.ts";
import { followUps, keepsSubject } from "#agent/grammar/readFollowUp.ts";
import { slotLabel } from "#agent/grammar/readSlot.ts";
import { splitWords, type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import type { Found, Look } from "#agent/grammar/walkForms.ts";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { isAddress } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import type { Command, KnownNames, Slot, SlotValues } from "#core/plugin/Tool.ts";

/** A command, and the values that a text gave to its slots. */
export type Reading = { command: Command; values: SlotValues };

/**
 * `leftOut`: words that the answer does not account for, which it must say; null where none.
 * `isGuess`: its name is not known to be one, so that whoever resolves it may ask back.
 */
export type Parsed =
	| { kind: "read"; reading: Reading; leftOut: string | null; isGuess: boolean; text: string }
	| Unread;

export type Followed = { reading: Reading; isLed: boolean };

export type Grammar = {
	/**
	 * Reads a text as typed; `text` of the result is its normalised form. `names`: which groups of
	 * its words are names, for what only reads.
	 */
	parse(text: string, names?: KnownNames): Parsed;
	/**
	 * Returns the groups of words of a question that could be names, in lower case, at most
	 * `NAMES_ASKED_MAX`; none where its form alone says everything, and none for what moves value.
	 */
	namesIn(text: string): string[];
	/**
	 * Returns the words of a text that a reading which it did not make leaves out: empty for none,
	 * null where one of them may not be left out.
	 */
	leftOutBy(reading: Reading, text: string): string | null;
	/**
	 * Reads a question that leaves out what the last answer was about; null where it is none, and for
	 * anything that moves value. `isLed`: its words show that it continues (`and`, `what about`).
	 */
	follow(text: string, subject: Reading, names?: KnownNames): Followed | null;
	/** Prints a reading so that `parse` reads it back as the same. */
	print(reading: Reading): string;
	/** All commands with their summaries and examples, for help and for the model's instructions. */
	commands: readonly Command[];
};

export type GrammarOptions = {
	/**
	 * True for a command that moves value, or cancels one that does: no deviation is tolerated in it.
	 */
	isStrict(command: Command): boolean;
	chains: Pick<ChainRegistry, "bySlug">;
};

const EMPTY: Unread = {
	kind: "unread",
	code: "text_empty",
	detail: "There is no text.",
	position: 0,
	near: [],
};

/** A longer text in printed form may hold more than a name: `floor void racers base chain cmon`. */
const PRINTED_WORDS_MAX = 4;
const NO_NAMES: KnownNames = new Map();

const GUARDED: ReadonlySet<Slot["kind"]> = new Set(["collection", "asset"]);

/**
 * Compiles commands into the grammar that reads and prints them. Throws at start-up for a form with
 * a syntax error, and for an example that its own command does not read.
 */
export function createGrammar(commands: readonly Command[], options: GrammarOptions): Grammar {
	const entries = entriesOf(commands, options.isStrict);
	const byName = new Map(entries.map((entry) => [entry.command.name, entry]));
	const reader = createReader(entries, options.chains);
	/**
	 * Holds what is suggested for a command: an example to send, or the shape of a command that moves
	 * value. Its amounts must come from the owner, never from an example.
	 */
	const examples = new Map<Command, string>();
	const shown = (command: Command) => examples.get(command) ?? shapeOf(command);

	function parse(text: string, names: KnownNames = NO_NAMES): Parsed {
		const plain = normaliseText(text);
		if (plain.kind === "refused") return { ...plain, kind: "unread", near: [] };
		const words = splitWords(plain.text);
		if (words.kind === "refused") {
			return { ...words, kind: "unread", position: plain.positionOf(words.position), near: [] };
		}
		if (words.low.length === 0) return EMPTY;
		const strict = reader.readStrict(words);
		if (strict.found.length > 0) return settle(strict, plain);
		const loose = readNamed(words, names, reader);
		if (loose.found.length > 0) return settle(loose, plain);
		const end = plain.text.trimEnd().length;
		const unread = explainUnread({ strict, loose, words, end }, { reader, entries, shown });
		return { ...unread, position: plain.positionOf(unread.position) };
	}

	function namesIn(text: string): string[] {
		const plain = normaliseText(text);
		if (plain.kind === "refused") return [];
		const words = splitWords(plain.text);
		if (words.kind === "refused" || reader.readStrict(words).found.length > 0) return [];
		const isShort = words.low.length <= PRINTED_WORDS_MAX;
		const [found, ...others] = isShort ? reader.readLoose(words).found : [];
		const isPrinted = found && others.length === 0 && isAlike(print(readingOf(found)), plain.text);
		return isPrinted ? [] : namesToAsk(withoutSigns(words), reader);
	}

	function leftOutBy(reading: Reading, text: string): string | null {
		const plain = normaliseText(text);
		const words = plain.kind === "text" ? splitWords(plain.text) : plain;
		return words.kind === "words" ? (reader.leftOutBy(reading, words) ?? null) : null;
	}

	function settle(look: Look, plain: { text: string; positionOf(index: number): number }): Parsed {
		const [found, other] = look.found;
		assert(found, "something was found");
		if (other) {
			const near = look.found.slice(0, 3).map(({ command }) => shown(command));
			const detail = "This can be read as more than one command.";
			return { kind: "unread", code: "not_expected", detail, position: 0, near };
		}
		const second = reader.secondCommand(look, found);
		if (second !== undefined) return { ...SEVERAL, position: plain.positionOf(second), near: [] };
		const leftOut = found.leftOut ?? null;
		const isGuess = found.isGuess ?? false;
		return { kind: "read", reading: readingOf(found), leftOut, isGuess, text: plain.text.trim() };
	}

	/**
	 * Prints names and tickers bare if `parse` reads that back as the same, else quoted or with `$`.
	 */
	function print(reading: Reading): string {
		const entry = byName.get(reading.command.name);
		assert(entry, `there is no command called ${reading.command.name}`);
		const bare = printWith(entry, reading, bareValue);
		if (!Object.values(entry.command.slots).some(({ kind }) => GUARDED.has(kind))) return bare;
		const again = parse(bare);
		if (again.kind === "read" && isSame(again.reading, reading)) return bare;
		return printWith(entry, reading, guardedValue);
	}

	for (const { command, isStrict } of entries) {
		for (const [n, example] of command.examples.entries()) {
			const parsed = parse(example);
			const isRead = parsed.kind === "read" && parsed.reading.command === command;
			assert(isRead, `${command.name} does not read its example "${example}": ${whyOf(parsed)}`);
			if (n === 0 && !isStrict) examples.set(command, print(parsed.reading));
		}
	}
	const deps = { reader, parse, isStrict: options.isStrict };
	const follow: Grammar["follow"] = (text, subject, names = NO_NAMES) =>
		followSubject(text, { ...subject, entry: byName.get(subject.command.name), names }, deps);
	return { parse, namesIn, leftOutBy, follow, print, commands };
}

/** Reads the first whole question that a text and its subject make, and that leaves no word out. */
function followSubject(
	text: string,
	{ entry, names, ...subject }: Reading & { entry: Entry | undefined; names: KnownNames },
	{
		reader,
		parse,
		isStrict,
	}: { reader: Reader } & Pick<Grammar, "parse"> & Pick<GrammarOptions, "isStrict">,
): Followed | null {
	const plain = normaliseText(text);
	const words = plain.kind === "text" ? splitWords(plain.text) : plain;
	const form = entry?.forms[0];
	if (words.kind !== "words" || !form || reader.readStrict(words).found.length > 0) return null;
	const given = { ...reader, hasName: names.size > 0 };
	const { wholes, isLed } = followUps(withoutSigns(words), { ...subject, form }, given);
	for (const { text: whole, kept } of wholes) {
		const parsed = parse(whole, names);
		if (parsed.kind !== "read" || parsed.leftOut !== null) continue;
		const { reading } = parsed;
		if (!keepsSubject(reading, kept)) continue;
		return isStrict(reading.command) ? null : { reading, isLed };
	}
	return null;
}

/** Reads with the known names as one word each; first without leaving any word out. */
function readNamed(words: Words, names: KnownNames, reader: Reader): Look {
	const ways = names.size > 0 ? withKnownNames(withoutSigns(words), names, reader) : [];
	const looks = ways.map(reader.readLoose);
	const isWhole = ({ found: [one, other] }: Look) =>
		one !== undefined && !other && one.leftOut === undefined && !one.isGuess;
	const [first] = looks;
	const some = looks.find(isWhole) ?? looks.find(({ found }) => found.length > 0) ?? first;
	return some ?? reader.readLoose(words);
}

/** Returns one line of help for each command: its shape, and what it answers or does. */
export function helpLines(commands: readonly Command[]): string[] {
	return commands.map((command) => `${shapeOf(command)}: ${command.summary}`);
}

/** Returns the first form with `<slot>` in each place: `floor <collection> [on <chain>]`. */
export function shapeOf({ forms, slots }: Command): string {
	const [form = ""] = forms;
	return form.replace(/\{([^}]*)\}/g, (_, name: string) => {
		const slot = slots[name];
		return slot ? slotLabel(name, slot) : name;
	});
}

/** Returns true where a text is what is printed, but for capitals and the sign at its end. */
function isAlike(printed: string, typed: string): boolean {
	return (
		printed.toLowerCase() ===
		typed
			.replace(/[\s?!.]+$/, "")
			.trim()
			.toLowerCase()
	);
}

function readingOf({ command, values }: Found): Reading {
	return { command, values };
}

function printWith(
	{ command, forms }: Entry,
	{ values }: Reading,
	write: (slot: Slot, value: string) => string,
): string {
	const printed = new Set<string>();
	const text = fillForm(forms[0] ?? [], values, (name) => {
		const slot = command.slots[name];
		const value = values[name];
		assert(slot && value !== undefined, `the command ${command.name} has no value for {${name}}`);
		printed.add(name);
		return write(slot, value);
	});
	for (const name of Object.keys(values)) {
		assert(printed.has(name), `the first form of ${command.name} has no place left for {${name}}`);
	}
	return text;
}

function bareValue(slot: Slot, value: string): string {
	if (slot.kind === "percent") return `${value}%`;
	if (slot.kind === "amount" && slot.isDollars) return `$${value}`;
	return slot.kind === "token" ? `#${value}` : value;
}

function isSame(a: Reading, b: Reading): boolean {
	const names = Object.keys(a.values);
	return (
		a.command.name === b.command.name &&
		names.length === Object.keys(b.values).length &&
		names.every((name) => a.values[name] === b.values[name])
	);
}

function guardedValue(slot: Slot, value: string): string {
	if (slot.kind === "asset") return isAddress(value) ? value : `$${value}`;
	if (slot.kind !== "collection") return bareValue(slot, value);
	assert(!value.includes('"'), "no name that was read has a double quote in it");
	return isAddress(value) ? value : `"${value}"`;
}

function whyOf(parsed: Parsed): string {
	if (parsed.kind === "read") return `${parsed.reading.command.name} reads it.`;
	return `${parsed.detail} (${parsed.near.join("; ")})`;
}
