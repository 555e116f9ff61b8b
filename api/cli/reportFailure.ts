import { builtinPlugins } from "#api/builtinPlugins.ts";
import { sectionsOf } from "#api/service/sectionsOf.ts";
import { type Environment, readEnvironment } from "#core/config/readEnvironment.ts";
import { secretsOf } from "#core/config/secretsOf.ts";
import { Fault } from "#core/fault/Fault.ts";
import { redactText } from "#core/log/redactText.ts";
import { secretForms } from "#core/log/secretForms.ts";

/** sysexits' EX_CONFIG: supervisors can tell "will never start like this" from "try again". */
const EXIT_CONFIG = 78;
const EXIT_FAILURE = 1;

/**
 * Says on stderr why a command ended, in a form a person can act on; answers the exit code.
 *
 * Without secrets, as the log is: supervisors keep what is written here.
 */
export function reportFailure(error: unknown, env: Environment = readEnvironment()): number {
	// Of the built-in plugins' schemas; of others' the variables whose name says it.
	const secrets = secretForms(secretsOf(sectionsOf(builtinPlugins).all, env));
	const say = (text: string) => process.stderr.write(`${redactText(text, secrets)}\n`);
	if (!(error instanceof Fault)) {
		say((error instanceof Error ? error.stack : undefined) ?? String(error));
		return EXIT_FAILURE;
	}
	say(`\n${error.publicDetail}`);
	// On the operator's own terminal the private part is for them.
	if (error.privateDetail) say(error.privateDetail);
	return error.retry === "never" ? EXIT_CONFIG : EXIT_FAILURE;
}
