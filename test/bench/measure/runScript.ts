import { join } from "node:path";
import type { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";

/** A script that takes longer is ended: only its figure is missing then. */
const SCRIPT_TIMEOUT_MS = 90_000;

/** Runs a script in a process of its own until it ends, and reads the JSON line that it prints. */
export async function runScript<Told>(
	scope: Scope,
	options: { script: string; args: readonly string[]; told: z.ZodType<Told> },
): Promise<Told> {
	const script = join(import.meta.dir, "..", options.script);
	const child = Bun.spawn([process.execPath, script, ...options.args], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
		timeout: SCRIPT_TIMEOUT_MS,
	});
	const stop = scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
	});
	const line = await new Response(child.stdout).text();
	await stop();
	return options.told.parse(JSON.parse(line));
}
