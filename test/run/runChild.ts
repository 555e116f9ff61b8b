import { watchDescendants } from "#test/run/watchDescendants.ts";

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
