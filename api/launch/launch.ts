// Runs a program in this process, started again with the engine's options where that is possible.

import { programFile } from "#api/launch/bundleOf.ts";
import type { Program } from "#api/launch/places.ts";
import { type Environment, readEnvironment } from "#core/config/readEnvironment.ts";

/**
 * How JavaScriptCore is to run us. It reads these once, when a process begins.
 *
 * Measured catching up 80,000 rows on two cores: with garbage collected by us after large answers
 * 36,300 rows/s at up to 182 MB; like this 41,900 at 181. With a large heap of 32 MB (the engine's
 * own) 40,600 at 176, of 40 41,000 at 193, of 48 42,500 at 213.
 */
const OPTIONS: Readonly<Record<string, string>> = {
	// Left alone the heap is sized by the machine, 24 GB or 2, and not by what we promise. Not a
	// limit: beyond it garbage is only looked for more often.
	BUN_JSC_forceRAMSize: String(512 * 1024 * 1024),
	// What a process that catches up has under way fits: it is not taken for old and kept.
	BUN_JSC_largeHeapSize: String(36 * 1024 * 1024),
	// A service has much code that is used a little. Compiling it for speed took a core from the
	// work for a quarter of the time; what is really hot still gets there.
	BUN_JSC_thresholdForOptimizeAfterWarmUp: "3000",
	BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
};

/** Another one may not know an option, and ends before it has begun: there it is as it comes. */
const BUN_VERSION = "1.4.5";

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

/**
 * Returns the environment with the engine's options; null where it has them all. The operator's
 * win.
 */
export function engineEnv(env: Environment, bunVersion = Bun.version): Environment | null {
	if (bunVersion !== BUN_VERSION) return null;
	if (Object.keys(OPTIONS).every((name) => env[name] !== undefined)) return null;
	return { ...OPTIONS, ...env };
}

/**
 * Returns Bun's own flags for a process that starts again: all but the working directory, which
 * the process is in already. A relative one, given again, would be looked for from there.
 */
export function flagsAgain(flags: readonly string[]): string[] {
	return flags.filter((flag, index) => {
		return flag !== "--cwd" && !flag.startsWith("--cwd=") && flags[index - 1] !== "--cwd";
	});
}
