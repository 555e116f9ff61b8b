// Installs and starts another program in a process of its own.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { descendantsOf } from "#test/bench/measure/processCost.ts";

export type PeerProcess = {
	pid: number;
	startedAtMs: number;
	/** Rejects when the process ends by itself, with its last output. */
	failed: Promise<never>;
	/** Ends it and all its descendants. */
	stop(): Promise<void>;
};

/** A process: its command, where it runs, and its environment besides PATH and HOME. */
export type PeerCommand = { args: readonly string[]; cwd: string; env: Record<string, string> };

const LINES_SHOWN = 12;
const PROJECTS = join(import.meta.dir, "projects");
/** Written last: a folder without it was interrupted. */
const DONE = "installed";
const INSTALL_TIMEOUT_MS = 600_000;
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

/**
 * Puts a peer's packages and project files into a folder of the cache and returns its path.
 * Packages of the same package.json are used again; project files are always copied.
 */
export async function installPeer(project: string, cacheDir: string): Promise<string> {
	const source = join(PROJECTS, project);
	const manifest = readFileSync(join(source, "package.json"));
	const key = createHash("sha256").update(manifest).digest("hex").slice(0, 12);
	const folder = join(cacheDir, `${project}-${key}`);
	const isInstalled = existsSync(join(folder, DONE));
	if (!isInstalled) rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	cpSync(source, folder, { recursive: true });
	if (isInstalled) return folder;
	// npm, as the peers' own guides say; scripts run, since some packages place binaries by them.
	await runStep(
		{ args: ["npm", "install", "--no-audit", "--no-fund"], cwd: folder, env: {} },
		INSTALL_TIMEOUT_MS,
	);
	writeFileSync(join(folder, DONE), "");
	return folder;
}

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

function errorsOf(logFile: string): string {
	return `${logFile}.errors`;
}

/** Returns the end of a peer's output. */
function lastWords(logFile: string): string {
	const text = `${readText(logFile)}\n${readText(errorsOf(logFile))}`;
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	return lines.slice(-LINES_SHOWN).join("\n");
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
