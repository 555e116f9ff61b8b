import { Fault } from "#core/fault/Fault.ts";

/** sysexits' EX_CONFIG: supervisors can tell "will never start like this" from "try again". */
const EXIT_CONFIG = 78;
const EXIT_FAILURE = 1;

/** Says on stderr why a command ended, in a form a person can act on; answers the exit code. */
export function reportFailure(error: unknown): number {
	if (!(error instanceof Fault)) {
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
		return EXIT_FAILURE;
	}
	process.stderr.write(`\n${error.publicDetail}\n`);
	// On the operator's own terminal the private part is for them.
	if (error.privateDetail) process.stderr.write(`${error.privateDetail}\n`);
	return error.retry === "never" ? EXIT_CONFIG : EXIT_FAILURE;
}
