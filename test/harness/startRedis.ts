// Starts a Redis server for one test file.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

export type TestRedis = {
	url: string;
	/** Sends one command on a connection of its own; returns the server's reply. */
	command(name: string, ...args: (string | number)[]): Promise<unknown>;
	/** Ends it by `kill -9`: everything it held is lost. */
	kill(): Promise<void>;
	/** Starts it again, empty, under the same URL. */
	restart(): Promise<void>;
	/** Suspends it: connections stay open but nothing answers. */
	freeze(): void;
	thaw(): void;
	stop(): Promise<void>;
};

const ASK_EVERY_MS = 5;

/** For `skipWithReason`: null where a server can be started. */
export const whyNoRedis = Bun.which("redis-server") ? null : "there is no redis-server on PATH";

/**
 * Starts a Redis server for one test file, without persistence.
 *
 * @param options.cluster makes it a cluster of one, which refuses commands across slots; it takes
 * two seconds to start.
 */
export async function startRedis(options: { cluster?: boolean } = {}): Promise<TestRedis> {
	const folder = mkdtempSync(join(tmpdir(), "tapeline-redis-"));
	const port = freePort();
	const url = `redis://127.0.0.1:${port}`;
	let server = spawn(folder, port, options.cluster ?? false);
	const kill = async () => {
		server.kill("SIGKILL");
		await server.exited;
	};
	const killNow = () => server.kill("SIGKILL");
	process.once("exit", killNow);
	const command = async (name: string, ...args: (string | number)[]) => {
		const client = new Bun.RedisClient(url, { autoReconnect: false });
		try {
			return await client.send(name, args.map(String));
		} finally {
			client.close();
		}
	};
	await answers(command);
	if (options.cluster) {
		await command("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
		await until(async () => String(await command("CLUSTER", "INFO")).includes("cluster_state:ok"));
	}
	return {
		url,
		command,
		kill,
		async restart() {
			server = spawn(folder, port, options.cluster ?? false);
			await answers(command);
		},
		freeze: () => server.kill("SIGSTOP"),
		thaw: () => server.kill("SIGCONT"),
		async stop() {
			process.off("exit", killNow);
			await kill();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

function spawn(folder: string, port: number, cluster: boolean) {
	const settings = {
		port,
		bind: "127.0.0.1",
		dir: folder,
		save: "",
		appendonly: "no",
		// The default is port + 10000, which may not exist.
		...(cluster ? { "cluster-enabled": "yes", "cluster-port": freePort() } : {}),
	};
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
	return Bun.spawn(["redis-server", ...args], { stdout: "ignore", stderr: "ignore" });
}

const answers = (command: TestRedis["command"]) =>
	until(async () => (await command("PING").catch(() => null)) === "PONG");

async function until(holds: () => Promise<boolean>): Promise<void> {
	const giveUpAt = performance.now() + WAIT_LIMIT_MS;
	while (performance.now() < giveUpAt) {
		if (await holds()) return;
		await Bun.sleep(ASK_EVERY_MS);
	}
	throw new Error("redis-server did not start");
}

/** Opens and closes a port: the server cannot report which free port it took. */
function freePort(): number {
	const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	const { port } = server;
	server.stop(true);
	return port;
}
