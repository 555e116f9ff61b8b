import { createReader, entriesOf } from "#agent/grammar/createReader.ts";
import type { GrammarOptions } from "#agent/grammar/Grammar.ts";
import { normaliseText } from "#agent/grammar/normaliseText.ts";
import { splitWords } from "#agent/grammar/splitWords.ts";
import type { Command } from "#core/plugin/Tool.ts";

/**
 * Makes a function that returns the names of all commands that read a text, not only the chosen
 * one.
 */
export function readersOf(
	commands: readonly Command[],
	options: GrammarOptions,
): (text: string) => string[] {
	const entries = entriesOf(commands, options.isStrict);
	const reader = createReader(entries, options.chains);
	return (text) => {
		const plain = normaliseText(text);
		const words = plain.kind === "text" ? splitWords(plain.text) : plain;
		if (words.kind === "refused" || words.low.length === 0) return [];
		const found = [...reader.readStrict(words).found, ...reader.readLoose(words).found];
		return found.map(({ command }) => command.name);
	};
}
