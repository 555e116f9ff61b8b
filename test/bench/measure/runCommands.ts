import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { runScript } from "#test/bench/measure/runScript.ts";

const rated = z.object({
	texts: z.int().min(1),
	/** Texts a second of the processor, round by round. */
	rates: z.array(z.number().positive()).min(1),
});

const told = z.object({
	/** Commands as they are printed. */
	commands: rated,
	/** Texts as traders type them. */
	typed: rated,
	/** The slowest of so many texts that no command reads; `begins` is how it begins. */
	unread: z.object({ texts: z.int().min(1), ms: z.number().positive(), begins: z.string() }),
});

export type CommandRates = z.output<typeof told>;

/** Reads the commands of all built-in plugins, in a process of its own. */
export function runCommands({ scope }: { scope: Scope }): Promise<CommandRates> {
	return runScript(scope, { script: "measure/commandTurns.ts", args: [], told });
}
