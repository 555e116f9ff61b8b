import { shapeOf } from "#agent/grammar/createGrammar.ts";
import type { Command } from "#core/plugin/Command.ts";

/** One line of help for each command: how it is typed, and what it answers or does. */
export function helpLines(commands: readonly Command[]): string[] {
	return commands.map((command) => `${shapeOf(command)}: ${command.summary}`);
}
