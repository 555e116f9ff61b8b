import type { PeerCommand } from "#test/bench/peers/Peer.ts";

const LINES_SHOWN = 12;

/** Runs a command to its end, and throws its last lines where it fails or takes too long. */
export async function runStep(command: PeerCommand, timeoutMs: number): Promise<void> {
	const child = Bun.spawn([...command.args], {
		cwd: command.cwd,
		env: { ...process.env, ...command.env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		timeout: timeoutMs,
	});
	const [output, errors, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	if (code === 0) return;
	const lines = `${output}\n${errors}`.split("\n").filter((line) => line.trim() !== "");
	const shown = lines.slice(-LINES_SHOWN).join("\n");
	throw new Error(`"${command.args.join(" ")}" ended with code ${code}:\n${shown}`);
}
