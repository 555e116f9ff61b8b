import { spawn } from "node:child_process";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";

/**
 * The environment of the server's programs: nothing of ours, above all no PG* variable and no
 * secret.
 */
const commandEnv = {
	PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	LC_ALL: "C",
	TZ: "UTC",
};
const OUTPUT_CHARS_MAX = 20_000;

export type CommandResult = { exitCode: number; output: string };

/**
 * Runs one program to its end, in its own session, so that Ctrl-C in a terminal does not end it.
 *
 * Returns any exit code; throws a Fault only if it did not end in time, or could not be started.
 */
export function runCommand(
	command: readonly string[],
	options: { timeoutMs: number },
): Promise<CommandResult> {
	const [program = "", ...args] = command;
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, {
			cwd: "/",
			env: commandEnv,
			detached: true,
			stdio: ["ignore", "pipe", "pipe"],
		});
		let output = "";
		const collect = (chunk: unknown) => {
			if (output.length < OUTPUT_CHARS_MAX) output += String(chunk);
		};
		child.stdout.on("data", collect);
		child.stderr.on("data", collect);
		const timer = setTimeout(() => {
			child.kill("SIGKILL");
			reject(
				embeddedServerFault.embeddedServerCommand({
					detail: `${program} did not end within ${options.timeoutMs} ms`,
					meta: { command, output },
				}),
			);
		}, options.timeoutMs);
		child.on("error", (cause) => {
			clearTimeout(timer);
			const detail = `${program} could not be started`;
			reject(embeddedServerFault.embeddedServerCommand({ detail, meta: { command }, cause }));
		});
		child.on("close", (code) => {
			clearTimeout(timer);
			resolve({ exitCode: code ?? -1, output: output.trim() });
		});
	});
}
