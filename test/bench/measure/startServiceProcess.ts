import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { SERVICE_MAIN } from "#test/bench/places.ts";

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
