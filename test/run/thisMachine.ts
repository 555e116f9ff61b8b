import type { Machine } from "#test/run/installTools.ts";

/** A mirror that cannot be reached is not waited for longer. */
const COMMAND_TIMEOUT_MS = 120_000;

/** The machine that the tests run on. */
export const thisMachine: Machine = {
	has: (command) => Bun.which(command) !== null,
	isRoot: process.getuid?.() === 0,
	async run(command) {
		const child = Bun.spawn([...command], {
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
			timeout: COMMAND_TIMEOUT_MS,
		});
		return child.exited;
	},
	say: (line) => void process.stdout.write(`${line}\n`),
};
