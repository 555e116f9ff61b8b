import type { Command, SlotValues } from "#core/plugin/Command.ts";
import type { KnownNames } from "#core/plugin/NameBook.ts";

/** A command, and the values that a text gave to its slots. */
export type Reading = { command: Command; values: SlotValues };

/**
 * Why no command reads a text: a stable code, a sentence, and where (0-based, in UTF-16 code
 * units).
 */
export type Unread = {
	kind: "unread";
	/**
	 * `unknown_command` (no command begins like this), `incomplete`, `not_expected` (an extra word,
	 * or a wrong one), `slot_invalid` (an amount, an address … of the wrong form), or a refusal of
	 * the text as a whole: `text_empty`, `text_too_long`, `text_mixed_scripts`, `text_confusable`,
	 * `text_foreign_digits`, `text_thousands_separator`, `text_two_commands`, `text_invisible`.
	 */
	code: string;
	detail: string;
	position: number;
	/** Up to three similar commands, in their printed form. */
	near: readonly string[];
};

export type Parsed = { kind: "read"; reading: Reading; text: string } | Unread;

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
	/** Prints a reading so that `parse` reads it back as the same. */
	print(reading: Reading): string;
	/** All commands with their summaries and examples, for help and for the model's instructions. */
	commands: readonly Command[];
};
