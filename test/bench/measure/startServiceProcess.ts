// Starts the service as an operator would, with a data folder of its own.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { chooseLayout, chooseServerUser } from "#core/db/embedded/layout.ts";
import { findPostmaster, pollUntil } from "#core/db/embedded/server.ts";
import { silentLog } from "#core/log.ts";
import { DATA_PARENT, SERVICE_MAIN } from "#test/bench/places.ts";

/** Started things that must be stopped, whatever happens. */
export type Scope = {
	/**
	 * Registers how to stop a thing; returns a function that does it now, once. In a closing scope
	 * the thing is stopped with the rest, and the call throws.
	 */
	defer(stop: () => Promise<void>): () => Promise<void>;
	/** Stops the rest, newest first. A failure does not keep the others running. */
	close(): Promise<void>;
};

export type DataDir = {
	path: string;
	socketDir: string;
	/** Returns PostgreSQL's first process, while it runs. */
	postmasterPid(): number | undefined;
	/** Resolves to true when PostgreSQL ended in time, or never ran. */
	ended(): Promise<boolean>;
	remove(): Promise<void>;
};

/** A script in a process of its own that takes orders and answers in JSON lines. */
export type Script = {
	pid: number;
	order(order: object): void;
	/** Returns the next line; throws where it ends, or is silent for too long. */
	line(): Promise<unknown>;
	stop(): Promise<void>;
};

export type ServiceProcess = {
	pid: number;
	url: string;
	/** When the process was started, by `Date.now`. */
	startedAtMs: number;
	/** From the start to the first answer over HTTP; rejects where that never comes. */
	servingSeconds: Promise<number>;
	/** Rejects when the process ends by itself, with its last output. */
	failed: Promise<never>;
	stop(): Promise<void>;
	/** Kills it as a kernel that runs out of memory would; `failed` stays pending. */
	kill(): Promise<void>;
};

export type ServiceProcessOptions = {
	rpcUrls: readonly string[];
	dataDir: string;
	/** A running server, in place of one of its own. */
	databaseUrl?: string | undefined;
	/** Flags for `bun` itself, such as a profiler's. */
	runtimeArgs: readonly string[];
	/** Settings that only this service needs. */
	env?: Readonly<Record<string, string>>;
};

/** A server whose last user was killed is ended by its watchdog within a second. */
const SERVER_ENDS_MS = 10_000;

const LINE_TIMEOUT_MS = 120_000;

const SERVING_TIMEOUT_MS = 60_000;
const LAST_LINES = 30;
const STOP_TIMEOUT_MS = 45_000;

/** Starts the service as an operator would: its own process, configured by the environment only. */
export function startServiceProcess(options: ServiceProcessOptions): ServiceProcess {
	const port = freePort();
	const startedAtMs = Date.now();
	const child = Bun.spawn([process.execPath, ...options.runtimeArgs, SERVICE_MAIN], {
		env: {
			PATH: process.env.PATH,
			HOME: process.env.HOME,
			CHAINS: "anvil",
			CHAIN_RPC_URLS_JSON: JSON.stringify({ 31337: options.rpcUrls }),
			NFT_SCAN_FROM_BLOCK: "0",
			DATA_DIR: options.dataDir,
			...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
			PORT: String(port),
			LOG_LEVEL: "warn",
			...options.env,
		},
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		// A group of its own: Ctrl-C must reach it only through us, once, in our order.
		detached: true,
	});
	const killChild = () => child.kill("SIGKILL");
	process.once("exit", killChild);
	const lastWords = keepLastLines([child.stdout, child.stderr]);
	let stopping = false;
	const failed = child.exited.then((code): Promise<never> => {
		if (stopping) return new Promise<never>(() => {});
		throw new Error(`the service ended with code ${code}:\n${lastWords().join("\n")}`);
	});
	failed.catch(() => {});
	const stop = async () => {
		stopping = true;
		child.kill("SIGTERM");
		const late = setTimeout(killChild, STOP_TIMEOUT_MS);
		await child.exited;
		clearTimeout(late);
		process.off("exit", killChild);
	};
	const kill = async () => {
		stopping = true;
		killChild();
		await child.exited;
		process.off("exit", killChild);
	};
	const url = `http://127.0.0.1:${port}`;
	const servingSeconds = Promise.race([untilServing(url), failed]).then(
		() => (Date.now() - startedAtMs) / 1_000,
	);
	servingSeconds.catch(() => {});
	return { pid: child.pid, url, startedAtMs, servingSeconds, failed, stop, kill };
}

export function createScope(): Scope {
	const open: (() => Promise<void>)[] = [];
	let closed = false;
	return {
		defer(stop) {
			let stopping: Promise<void> | null = null;
			const once = () => {
				stopping ??= stop().finally(() => {
					const at = open.indexOf(once);
					if (at >= 0) open.splice(at, 1);
				});
				return stopping;
			};
			open.push(once);
			if (closed) throw new Error("interrupted");
			return once;
		},
		async close() {
			closed = true;
			for (let stop = open.at(-1); stop; stop = open.at(-1)) {
				await stop().catch((error) => process.stderr.write(`did not stop: ${error}\n`));
			}
		},
	};
}

/**
 * Makes a fresh data folder, beside the project: the disk of real data is the one measured.
 *
 * Removed only when the server on it has ended: one whose folder is gone cannot be stopped.
 */
export async function openDataDir(scope: Scope): Promise<DataDir> {
	mkdirSync(DATA_PARENT, { recursive: true });
	const path = mkdtempSync(join(DATA_PARENT, "run-"));
	// The server runs as another user when we are root, and has to get in.
	chmodSync(path, 0o755);
	const user = chooseServerUser();
	const { cluster, socketDir } = await chooseLayout({ dataDir: path, user, log: silentLog });
	const postmasterPid = () => findPostmaster(cluster);
	const ended = async () => {
		const hasEnded = () => postmasterPid() === undefined || undefined;
		return (await pollUntil(hasEnded, { timeoutMs: SERVER_ENDS_MS, everyMs: 20 })) === true;
	};
	const remove = scope.defer(async () => {
		const isDown = await ended();
		const pid = postmasterPid();
		if (!isDown && pid !== undefined) process.kill(pid, "SIGQUIT");
		// Outside the folder only where the server's user could not enter it.
		for (const folder of [path, dirname(cluster), socketDir]) {
			rmSync(folder, { recursive: true, force: true });
		}
	});
	return { path, socketDir, postmasterPid, ended, remove };
}

export function openScript(
	scope: Scope,
	args: readonly string[],
	env: Record<string, string | undefined> = process.env,
): Script {
	const child = Bun.spawn([process.execPath, ...args], {
		env,
		stdin: "pipe",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stop = scope.defer(async () => {
		child.kill("SIGTERM");
		await child.exited;
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
	const iterator = lines[Symbol.asyncIterator]();
	return {
		pid: child.pid,
		stop,
		order(order: object) {
			child.stdin.write(`${JSON.stringify(order)}\n`);
			child.stdin.flush();
		},
		async line(): Promise<unknown> {
			const late = Promise.withResolvers<never>();
			const timer = setTimeout(() => late.reject(new Error(`${args}: no word`)), LINE_TIMEOUT_MS);
			try {
				const next = await Promise.race([iterator.next(), late.promise]);
				if (next.done) throw new Error(`${args} ended`);
				return JSON.parse(next.value);
			} finally {
				clearTimeout(timer);
			}
		},
	};
}

/**
 * Returns a free port, taken and released: the service does not print its port, so it must be told.
 */
function freePort(): number {
	const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	const { port } = server;
	server.stop(true);
	return port;
}

function keepLastLines(streams: readonly ReadableStream<Uint8Array>[]): () => readonly string[] {
	const lines: string[] = [];
	for (const stream of streams) {
		const reader = createInterface({ input: Readable.fromWeb(stream as never) });
		reader.on("line", (line) => {
			lines.push(line);
			if (lines.length > LAST_LINES) lines.shift();
		});
	}
	return () => lines;
}

async function untilServing(url: string): Promise<void> {
	const deadlineMs = performance.now() + SERVING_TIMEOUT_MS;
	while (performance.now() < deadlineMs) {
		const answered = await fetch(`${url}/healthz`).catch(() => null);
		await answered?.body?.cancel();
		if (answered) return;
		await Bun.sleep(10);
	}
	throw new Error(`the service does not answer at ${url}`);
}
