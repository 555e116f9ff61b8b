// Starts a private chain for one test file.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";

export type Anvil = {
	pid: number;
	url: string;
	wsUrl: string;
	chainId: number;
	/** Makes one JSON-RPC call; rejects with the node's own message when it answers an error. */
	rpc<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
	/** Waits until every transaction is in a block: a node answers a send before that. */
	mined(): Promise<void>;
	/** Ends the node and waits until it is gone. */
	stop(): Promise<void>;
};

const ROOT = join(import.meta.dir, "../..");

/**
 * Starts a private chain for one test file.
 *
 * The node picks its own free port, so that files which run side by side cannot collide. The binary
 * is started directly, not by the package's launcher, whose child would outlive `stop`.
 *
 * @example const anvil = await startAnvil({ args: ["--chain-id", "8453"] });
 */
export async function startAnvil({ args = [] }: { args?: readonly string[] } = {}): Promise<Anvil> {
	// Older states are written to disk: in the user's home directory they would stay, gigabytes of
	// them.
	const states = mkdtempSync(join(tmpdir(), "tapeline-anvil-"));
	const place = ["--port", "0", "--host", "127.0.0.1", "--cache-path", states];
	const node = Bun.spawn([binaryPath(), ...place, ...args], { stdout: "pipe", stderr: "inherit" });
	// A test that fails before its `stop` must not leave a node behind.
	const killNode = () => {
		node.kill("SIGKILL");
		rmSync(states, { recursive: true, force: true });
	};
	process.once("exit", killNode);
	const port = await listeningPort(node.stdout, WAIT_LIMIT_MS).catch((cause) => {
		killNode();
		throw cause;
	});
	const url = `http://127.0.0.1:${port}`;
	let nextId = 1;
	const rpc = async <Result>(method: string, params: readonly unknown[] = []): Promise<Result> => {
		const response = await fetch(url, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, params }),
		});
		const answer = (await response.json()) as {
			result?: Result;
			error?: { message: string; data?: unknown };
		};
		if (answer.error) {
			const detail =
				answer.error.data === undefined ? "" : ` (${JSON.stringify(answer.error.data)})`;
			throw new Error(`${method}: ${answer.error.message}${detail}`);
		}
		return answer.result as Result;
	};
	const chainId = Number(await rpc<string>("eth_chainId"));
	return {
		pid: node.pid,
		url,
		wsUrl: `ws://127.0.0.1:${port}`,
		chainId,
		rpc,
		mined: () =>
			until(async () => {
				const { pending } = await rpc<{ pending: string }>("txpool_status");
				return Number(pending) === 0;
			}, "nothing waits to be mined"),
		async stop() {
			process.off("exit", killNode);
			killNode();
			await node.exited;
		},
	};
}

function binaryPath(): string {
	const platform = process.platform === "win32" ? "win32" : process.platform;
	const architecture = process.arch === "x64" ? "amd64" : process.arch;
	const name = `anvil-${platform}-${architecture}`;
	const direct = join(ROOT, "node_modules/@foundry-rs", name, "bin/anvil");
	return existsSync(direct) ? direct : join(ROOT, "node_modules/.bin/anvil");
}

/** Reads what the node prints until it names its port, then keeps draining so it never blocks. */
async function listeningPort(
	stdout: ReadableStream<Uint8Array>,
	timeoutMs: number,
): Promise<number> {
	const reader = stdout.getReader();
	const decoder = new TextDecoder();
	let printed = "";
	const deadline = setTimeout(() => void reader.cancel(), timeoutMs);
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) throw new Error(`anvil did not start within ${timeoutMs} ms: ${printed}`);
			printed += decoder.decode(value, { stream: true });
			const port = /Listening on \S+:(\d+)/.exec(printed)?.[1];
			if (port) {
				void drain(reader);
				return Number(port);
			}
		}
	} finally {
		clearTimeout(deadline);
	}
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
	while (!(await reader.read()).done);
}
