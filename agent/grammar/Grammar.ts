import type { Command, SlotValues } from "#core/plugin/Command.ts";

/** A text as a command understood it. */
export type Reading = { command: Command; values: SlotValues };

/** Why a text is no command: a stable code, a sentence, and where (0-based, in code units). */
export type Unread = {
	kind: "unread";
	/**
	 * `unknown_command` (nothing begins like that), `incomplete`, `not_expected` (a word too many, or
	 * another one than stands there), `slot_invalid` (an amount, an address … of the wrong form),
	 * or a refusal of the text as a whole: `text_empty`, `text_too_long`, `text_mixed_scripts`,
	 * `text_confusable`, `text_foreign_digits`, `text_thousands_separator`, `text_two_commands`,
	 * `text_invisible`.
	 */
	code: string;
	detail: string;
	position: number;
	/** Up to three commands that are near, as they are printed. */
	near: readonly string[];
};

export type Parsed = { kind: "read"; reading: Reading; text: string } | Unread;

export type Grammar = {
	/** Reads a text as its author typed it; `text` of the answer is it after normalisation. */
	parse(text: string): Parsed;
	/** Prints a reading so that `parse` reads it back as the same. */
	print(reading: Reading): string;
	/** All commands with their summaries and examples, for help and for the model's instructions. */
	commands: readonly Command[];
};
