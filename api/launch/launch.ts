// Runs a program in this process, with the engine's options, and ends it with what started it.

import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
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

/** A runner of a runner of a script, with a shell before each, and some more. */
const ANCESTORS_MAX = 8;

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
 * Ends this process in order, as SIGTERM does, once a program that started it is gone: `bun run`
 * and `npx` end by a signal without passing it on (Bun 1.4.5). Shells of people and supervisors are
 * not looked at: what they start may outlive them. Only Linux tells; elsewhere nothing is looked
 * at.
 */
export function endWithRunners(lookEveryMs = 500): void {
	const links = runnerLinks();
	if (links.length === 0) return;
	const timer = setInterval(() => {
		if (links.every(([pid, parent]) => parentOf(pid) === parent)) return;
		clearInterval(timer);
		process.kill(process.pid, "SIGTERM");
	}, lookEveryMs);
	timer.unref();
}

/** Returns who started whom, from this process up to the last runner above it. */
function runnerLinks(): [pid: number, parent: number][] {
	const links: [number, number][] = [];
	let open: [number, number][] = [];
	let pid = process.pid;
	for (let depth = 0; depth < ANCESTORS_MAX; depth += 1) {
		const parent = parentOf(pid);
		if (parent === null || parent <= 1) break;
		open.push([pid, parent]);
		if (isRunner(parent)) {
			links.push(...open);
			open = [];
		} else if (!isScriptShell(parent)) break;
		pid = parent;
	}
	return links;
}

/** Whether a process is Bun, or Node: `npx`. */
function isRunner(pid: number): boolean {
	try {
		const program = readlinkSync(`/proc/${pid}/exe`);
		return program === readlinkSync("/proc/self/exe") || basename(program) === "node";
	} catch {
		return false;
	}
}

/** Whether a process is a shell that runs one line for a runner: `sh -c "…"`. */
function isScriptShell(pid: number): boolean {
	try {
		const [program = "", flag = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
		return /^(?:sh|dash|bash)$/.test(basename(program)) && flag === "-c";
	} catch {
		return false;
	}
}

/** Returns who started a process; null where that is not told. */
export function parentOf(pid: number): number | null {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, "utf8");
		return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
	} catch {
		return null;
	}
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
