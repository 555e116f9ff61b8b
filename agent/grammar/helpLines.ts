import { shapeOf } from "#agent/grammar/createGrammar.ts";
import type { Command } from "#core/plugin/Command.ts";

/** Returns one line of help for each command: its shape, and what it answers or does. */
export function helpLines(commands: readonly Command[]): string[] {
	return commands.map((command) => `${shapeOf(command)}: ${command.summary}`);
}
