import { connect, createServer, type Server, type Socket } from "node:net";
import { Client } from "pg";

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
