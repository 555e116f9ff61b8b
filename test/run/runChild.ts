// Runs a child process with a time limit, and ends all its descendants.

import { randomInt } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

export type Descendants = {
	/** Waits a moment for whatever is still there, kills the rest, and stops watching. */
	end(): Promise<void>;
};

/** What became of a child process. */
export type ChildResult = { exitCode: number; output: string; timedOut: boolean; seconds: number };

export type ChildOptions = {
	/** Arguments to this same `bun`: there may be none on the PATH, or another version. */
	args: readonly string[];
	cwd: string;
	env: Record<string, string | undefined>;
	timeLimitMs: number;
	/** Ends the child as its time limit does. */
	signal?: AbortSignal | undefined;
	/** Called with each line as it comes. */
	onLine?: (line: string) => void;
};

/** A process is the same one only if it also began at the same time: numbers are used again. */
type Process = { pid: number; parent: number; began: string };

/** Of 31 bits: everything that draws takes such a seed. */
const SEED_MAX = 2 ** 31;

const LOOK_EVERY_MS = 1_000;
/** A watchdog stops the server of a process that is gone; that is better than killing both. */
const END_WITHIN_MS = 5_000;
const ASK_EVERY_MS = 50;

/** What is kept of a child's output for the report. */
const OUTPUT_LENGTH_MAX = 200_000;

const KILL_AFTER_MS = 5_000;

/**
 * Runs `bun` with arguments, streams its lines, and ends it when its time is over or the signal
 * says so. Whatever the child started and left is ended with it.
 */
export async function runChild(options: ChildOptions): Promise<ChildResult> {
	const { args, cwd, env, timeLimitMs, onLine, signal } = options;
	const startedMs = performance.now();
	const child = Bun.spawn([process.execPath, ...args], {
		cwd,
		env,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const descendants = watchDescendants(child.pid);
	let output = "";
	let timedOut = false;
	const end = () => {
		child.kill("SIGTERM");
		setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS).unref();
	};
	const onTime = setTimeout(() => {
		timedOut = true;
		end();
	}, timeLimitMs);
	signal?.addEventListener("abort", end);
	if (signal?.aborted) end();
	const take = (line: string) => {
		if (output.length < OUTPUT_LENGTH_MAX) output += `${line}\n`;
		onLine?.(line);
	};
	await Promise.race([
		Promise.all([eachLine(child.stdout, take), eachLine(child.stderr, take)]),
		// A grandchild that outlives the child keeps the pipes open: do not wait for it for ever.
		child.exited.then(() => Bun.sleep(KILL_AFTER_MS)),
	]);
	const exitCode = await child.exited;
	clearTimeout(onTime);
	signal?.removeEventListener("abort", end);
	await descendants.end();
	return { exitCode, output, timedOut, seconds: (performance.now() - startedMs) / 1000 };
}

/**
 * The environment of the tests: this process's, without what a developer's `.env` put into it. Bun
 * has read that file before the first line of this program ran, and a suite that passes only with
 * somebody's keys proves nothing. To prove takes a fresh seed, unless one is asked for.
 */
export async function childEnvironment(root: string, prove: boolean) {
	const env: Record<string, string | undefined> = { ...process.env };
	for (const path of new Bun.Glob(".env*").scanSync({ cwd: root, dot: true })) {
		if (path === ".env.example") continue;
		const text = await Bun.file(`${root}/${path}`).text();
		for (const [, name = ""] of text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)) {
			delete env[name];
		}
	}
	// Set by a test runner above us; a test would write its reasons into that one's file.
	delete env.TEST_SKIP_REASONS_FILE;
	delete env.PROVE;
	if (!prove) return env;
	return { ...env, PROVE: "1", TEST_SEED: env.TEST_SEED ?? `${randomInt(SEED_MAX)}` };
}

/**
 * Keeps a list of the processes that one process started, those included that have lost their
 * parent since or lead a group of their own: what tests start does both, and signals to a group
 * reach neither. Without the list a service of a test that was interrupted would run on.
 */
function watchDescendants(pid: number): Descendants {
	const known = new Map<number, Process>();
	const look = async () => {
		const alive = await processes();
		forgetEnded(known, alive);
		addChildren(known, { alive, pid });
	};
	let looking = Promise.resolve();
	const timer = setInterval(() => {
		looking = looking.then(look);
	}, LOOK_EVERY_MS);
	return {
		async end() {
			clearInterval(timer);
			const giveUpAt = performance.now() + END_WITHIN_MS;
			for (;;) {
				looking = looking.then(look);
				await looking;
				if (known.size === 0) return;
				if (performance.now() > giveUpAt) break;
				await Bun.sleep(ASK_EVERY_MS);
			}
			for (const { pid } of known.values()) kill(pid);
		},
	};
}

async function eachLine(stream: ReadableStream<Uint8Array>, take: (line: string) => void) {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of stream) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) take(line);
	}
	if (rest) take(rest);
}

/** Every process of this machine that still runs. */
async function processes(): Promise<Map<number, Process>> {
	const all = process.platform === "linux" ? await fromProc() : await fromPs();
	return new Map(all.map((one) => [one.pid, one]));
}

async function fromProc(): Promise<Process[]> {
	const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
	const found = await Promise.all(
		pids.map(async (pid) => {
			const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
			// The name is in brackets and may have spaces and brackets itself.
			const rest = text.slice(text.lastIndexOf(")") + 2).split(" ");
			const [state = "Z", parent, began = ""] = [rest[0], rest[1], rest[19]];
			// One that has ended and that nobody has asked about yet holds nothing.
			return state === "Z" || state === "X" ? [] : [{ pid: +pid, parent: Number(parent), began }];
		}),
	);
	return found.flat();
}

async function fromPs(): Promise<Process[]> {
	const ps = Bun.spawn(["ps", "-A", "-o", "pid=,ppid=,stat=,lstart="], { stderr: "ignore" });
	const lines = (await new Response(ps.stdout).text()).split("\n");
	return lines.flatMap((line) => {
		const [, pid, parent, state = "", began = ""] =
			/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
		if (pid === undefined || state.startsWith("Z") || Number(pid) === ps.pid) return [];
		return [{ pid: Number(pid), parent: Number(parent), began }];
	});
}

function forgetEnded(known: Map<number, Process>, alive: ReadonlyMap<number, Process>) {
	for (const { pid, began } of known.values()) {
		if (alive.get(pid)?.began !== began) known.delete(pid);
	}
}

function addChildren(
	known: Map<number, Process>,
	{ alive, pid }: { alive: ReadonlyMap<number, Process>; pid: number },
) {
	const children = Map.groupBy(alive.values(), ({ parent }) => parent);
	const open = [pid, ...known.keys()];
	for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
		for (const child of children.get(parent) ?? []) {
			if (known.has(child.pid)) continue;
			known.set(child.pid, child);
			open.push(child.pid);
		}
	}
}

function kill(pid: number) {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It ended by itself in the meantime.
	}
}
