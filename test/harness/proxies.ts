// Starts proxies before nodes and databases, which fail on demand and count.

import { connect, createServer, type Server, type Socket } from "node:net";
import { Client } from "pg";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

export type RpcProxy = {
	url: string;
	/** While true every request is answered with 503. */
	fail(on: boolean): void;
	/** Answers `eth_getLogs` `count` more times, then with status 503, until `fail` is called. */
	answerLogs(count: number): void;
	/** Holds all requests until the returned function is called. */
	hold(): () => void;
	/** Answers `eth_chainId` with another id; null ends that. */
	pretendChain(id: number | null): void;
	/** Waits until this many requests failed since the proxy began to fail. */
	failures(count: number): Promise<void>;
	/** Waits until a method was called this often. */
	calls(method: string, count: number): Promise<void>;
	stop(): void;
};

export type TcpProxy = {
	/** The connection string of the database through this proxy. */
	connectionString: string;
	/** Ends every connection, and refuses new ones until `restore`. */
	cut(): Promise<void>;
	/**
	 * Cuts after this many more messages to the server. The last of them is passed on, but its answer
	 * is lost: the server has executed it.
	 */
	cutAfter(messages: number): void;
	/** Returns whether it is cut now. */
	isCut(): boolean;
	/** Accepts connections again, and cancels `cutAfter`. */
	restore(): Promise<void>;
	stop(): Promise<void>;
};

const ASK_EVERY_MS = 5;

/**
 * Counts round trips to databases while something runs, of all connections of this process:
 * statements that are under way at the same time count as one. So nothing else may ask meanwhile.
 */
export async function countRoundTrips(run: () => Promise<unknown>): Promise<number> {
	let [trips, underWay] = [0, 0];
	const { query } = Client.prototype;
	const counting = function (this: Client, ...given: unknown[]) {
		if (underWay === 0) trips++;
		underWay++;
		const end = () => {
			underWay--;
		};
		// A pool's own query is answered by a function, any other by a promise.
		const answered = given.at(-1);
		if (typeof answered !== "function") {
			const asked: Promise<unknown> = Reflect.apply(query, this, given);
			asked.then(end, end);
			return asked;
		}
		const told = (...answer: unknown[]) => {
			end();
			return answered(...answer);
		};
		return Reflect.apply(query, this, [...given.slice(0, -1), told]);
	};
	Object.assign(Client.prototype, { query: counting });
	try {
		await run();
	} finally {
		Object.assign(Client.prototype, { query });
	}
	return trips;
}

/** Starts a proxy in front of a JSON-RPC server that can fail as endpoints do. */
export async function startRpcProxy(upstream: string): Promise<RpcProxy> {
	let failing = false;
	let failed = 0;
	let logsLeft = Number.POSITIVE_INFINITY;
	let chainId: number | null = null;
	let held = Promise.resolve();
	const called = new Map<string, number>();
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const text = await request.text();
			const calls: { method: string }[] = [JSON.parse(text)].flat();
			for (const { method } of calls) called.set(method, (called.get(method) ?? 0) + 1);
			const asksLogs = calls.some(({ method }) => method === "eth_getLogs");
			if (failing || (asksLogs && --logsLeft < 0)) {
				failed++;
				return new Response("upstream is away", { status: 503 });
			}
			await held;
			const answer = await fetch(upstream, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: text,
			});
			const [call] = calls;
			if (chainId === null || call?.method !== "eth_chainId") return answer;
			const lie = { ...((await answer.json()) as object), result: `0x${chainId.toString(16)}` };
			return Response.json(lie);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		fail(on) {
			failing = on;
			failed = 0;
			logsLeft = Number.POSITIVE_INFINITY;
		},
		answerLogs(count) {
			logsLeft = count;
			failed = 0;
		},
		hold() {
			const { promise, resolve } = Promise.withResolvers<void>();
			held = promise;
			return resolve;
		},
		pretendChain(id) {
			chainId = id;
		},
		failures: (count) => until(() => failed >= count),
		calls: (method, count) => until(() => (called.get(method) ?? 0) >= count),
		stop: () => void server.stop(true),
	};
}

/**
 * Starts a proxy in front of a PostgreSQL server, which can make it unreachable and reachable
 * again.
 */
export async function startTcpProxy(upstream: string): Promise<TcpProxy> {
	const { host, port, user, password, database } = new Client({ connectionString: upstream });
	const target = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
	const open = new Set<() => void>();
	let server: Server | null = null;
	let closed = Promise.resolve();
	let left = Number.POSITIVE_INFINITY;
	let ownPort = 0;

	const pair = (client: Socket) => {
		// It was accepted by the server that is closing, after the others were disconnected.
		if (server === null) {
			client.destroy();
			return;
		}
		const behind = connect(target);
		const drop = () => {
			open.delete(drop);
			client.destroy();
			// Written bytes are sent first: only the answer is lost.
			behind.end();
			behind.removeAllListeners("data");
			behind.resume();
		};
		open.add(drop);
		for (const socket of [client, behind]) {
			socket.on("error", drop);
			socket.on("close", drop);
		}
		client.on("data", (chunk) => {
			behind.write(chunk);
			left--;
			if (left <= 0) void cut();
		});
		behind.on("data", (chunk) => void client.write(chunk));
	};
	async function cut(): Promise<void> {
		left = Number.POSITIVE_INFINITY;
		const closing = server;
		server = null;
		if (closing) closed = new Promise((done) => closing.close(() => done()));
		for (const drop of [...open]) drop();
		await closed;
	}
	async function restore(): Promise<void> {
		left = Number.POSITIVE_INFINITY;
		await closed;
		if (server) return;
		const made = createServer(pair);
		server = made;
		await new Promise<void>((done) => made.listen(ownPort, "127.0.0.1", done));
		const address = made.address();
		if (address !== null && typeof address === "object") ownPort = address.port;
	}
	await restore();
	const login = `${user}${password ? `:${password}` : ""}`;
	return {
		connectionString: `postgres://${login}@127.0.0.1:${ownPort}/${database}`,
		cut,
		cutAfter(messages) {
			left = messages;
		},
		isCut: () => server === null,
		restore,
		stop: cut,
	};
}

async function until(holds: () => boolean): Promise<void> {
	const giveUpAt = performance.now() + WAIT_LIMIT_MS;
	while (performance.now() < giveUpAt) {
		if (holds()) return;
		await Bun.sleep(ASK_EVERY_MS);
	}
	throw new Error("what was waited for did not happen");
}
