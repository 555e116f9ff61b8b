import { engineEnv } from "#api/launch/engineEnv.ts";
import { flagsAgain } from "#api/launch/flagsAgain.ts";
import type { Program } from "#api/launch/places.ts";
import { programFile } from "#api/launch/programFile.ts";
import { type Environment, readEnvironment } from "#core/config/readEnvironment.ts";

/** Runs a program, in this very process; the module that is run ends it by itself. */
export async function launch(program: Program): Promise<void> {
	const env = readEnvironment();
	const file = programFile(program, env);
	const tuned = engineEnv(env);
	if (tuned) become(file, tuned);
	await import(file);
}

/**
 * Begins the process anew with another file and environment: same number, same pipes, and nothing
 * left of what has run so far. Returns only where the system cannot do that; then all goes on
 * without the engine's options.
 */
function become(file: string, env: Environment): void {
	const flags = flagsAgain(process.execArgv);
	const args = [process.execPath, ...flags, file, ...process.argv.slice(2)];
	try {
		process.execve?.(process.execPath, args, { ...env });
	} catch {
		// Not on Windows.
	}
}
