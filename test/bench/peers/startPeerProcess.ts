import { readFileSync, rmSync } from "node:fs";
import { descendantsOf } from "#test/bench/measure/descendantsOf.ts";
import type { PeerCommand } from "#test/bench/peers/Peer.ts";

export type PeerProcess = {
	pid: number;
	startedAtMs: number;
	/** Rejects when the process ends by itself, with its last output. */
	failed: Promise<never>;
	/** Ends it and all its descendants. */
	stop(): Promise<void>;
};

const LINES_SHOWN = 12;
const STOP_TIMEOUT_MS = 3_000;

/** Starts a peer in a process of its own, with its output in a file. */
export function startPeerProcess(command: PeerCommand, logFile: string): PeerProcess {
	for (const file of [logFile, errorsOf(logFile)]) rmSync(file, { force: true });
	const startedAtMs = Date.now();
	const child = Bun.spawn([...command.args], {
		cwd: command.cwd,
		env: { PATH: process.env.PATH, HOME: process.env.HOME, ...command.env },
		stdin: "ignore",
		stdout: Bun.file(logFile),
		stderr: Bun.file(errorsOf(logFile)),
	});
	let stopping = false;
	const failed = child.exited.then((code): Promise<never> => {
		if (stopping) return new Promise<never>(() => {});
		throw new Error(`it ended with code ${code}:\n${lastWords(logFile)}`);
	});
	failed.catch(() => {});
	return {
		pid: child.pid,
		startedAtMs,
		failed,
		async stop() {
			stopping = true;
			const pids = descendantsOf([child.pid]);
			for (const pid of pids) signal(pid, "SIGTERM");
			const late = setTimeout(() => {
				for (const pid of pids) signal(pid, "SIGKILL");
			}, STOP_TIMEOUT_MS);
			await child.exited;
			clearTimeout(late);
			for (const pid of pids) signal(pid, "SIGKILL");
		},
	};
}

/** Returns the end of a peer's output. */
function lastWords(logFile: string): string {
	const text = `${readText(logFile)}\n${readText(errorsOf(logFile))}`;
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	return lines.slice(-LINES_SHOWN).join("\n");
}

function errorsOf(logFile: string): string {
	return `${logFile}.errors`;
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

function signal(pid: number, name: "SIGTERM" | "SIGKILL"): void {
	try {
		process.kill(pid, name);
	} catch {
		// It has ended.
	}
}
