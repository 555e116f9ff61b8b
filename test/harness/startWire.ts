import { connect, createServer, type Socket } from "node:net";

export type Wire = {
	/** The address of the node's socket through this wire. */
	url: string;
	/** Returns how many connections there were so far. */
	opened(): number;
	/** Returns whether the node ever sent this text. */
	carried(text: string): boolean;
	/** Keeps all connections open, and passes nothing on any more; new ones work. */
	mute(): void;
	/** Ends all connections; new ones work. */
	cut(): void;
	stop(): Promise<void>;
};

type Connection = { client: Socket; node: Socket; isMute: boolean };

/** Starts a wire in front of a node's WebSocket, which can go silent or break. */
export async function startWire(wsUrl: string): Promise<Wire> {
	const { hostname, port } = new URL(wsUrl);
	const open = new Set<Connection>();
	const texts: string[] = [];
	let opened = 0;
	const drop = (one: Connection) => {
		open.delete(one);
		one.client.destroy();
		one.node.destroy();
	};
	const server = createServer((client) => {
		const one = { client, node: connect(Number(port), hostname), isMute: false };
		open.add(one);
		opened++;
		for (const socket of [client, one.node]) {
			socket.on("error", () => drop(one));
			socket.on("close", () => drop(one));
		}
		client.on("data", (chunk) => one.isMute || one.node.write(chunk));
		one.node.on("data", (chunk) => {
			if (one.isMute) return;
			// A node's frames are not masked.
			texts.push(chunk.toString("latin1"));
			client.write(chunk);
		});
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("it has no port");
	return {
		url: `ws://127.0.0.1:${address.port}`,
		opened: () => opened,
		carried: (text) => texts.join("").toLowerCase().includes(text.toLowerCase()),
		mute() {
			for (const one of open) one.isMute = true;
		},
		cut() {
			for (const one of [...open]) drop(one);
		},
		async stop() {
			for (const one of [...open]) drop(one);
			await new Promise<void>((done) => server.close(() => done()));
		},
	};
}
