import { installTools } from "#test/run/installTools.ts";
import { readSuiteArgs } from "#test/run/readSuiteArgs.ts";
import { runSuite } from "#test/run/runSuite.ts";
import { thisMachine } from "#test/run/thisMachine.ts";
import { watchParents } from "#test/run/watchParents.ts";
import { withDatabase } from "#test/run/withDatabase.ts";

const EXIT_USAGE = 2;

/** Ctrl-C, an end that others ask for, and a terminal that is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What `bun run check`, `test` and `prove` do; answers the exit code. */
export async function runSuiteScript(given: {
	unitOnly: boolean;
	/** Files whose tests alone run; null or left out: all tests. */
	changed?: readonly string[] | null;
	report: string;
	argv: readonly string[];
}): Promise<number> {
	const ask = readSuiteArgs(given.argv);
	if (ask.kind === "help") {
		process.stdout.write(`${ask.text}\n`);
		return 0;
	}
	if (ask.kind === "wrong") {
		process.stderr.write(`${ask.text}\n`);
		return EXIT_USAGE;
	}
	await installTools(thisMachine);
	const interrupted = new AbortController();
	const onSignal = () => interrupted.abort();
	for (const name of SIGNALS) process.on(name, onSignal);
	const leaveParents = watchParents(onSignal);
	const { signal } = interrupted;
	// A run whose machine nobody sees afterwards tells more.
	const argv = process.env["CI"] ? [...given.argv, "--times"] : given.argv;
	return withDatabase((env) => runSuite({ ...given, argv, env, signal })).finally(() => {
		for (const name of SIGNALS) process.off(name, onSignal);
		leaveParents();
	});
}
