import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { openGatheringSocket } from "#core/db/openGatheringSocket.ts";

const server = createServer();
let port = 0;
beforeAll(async () => {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	port = typeof address === "object" && address ? address.port : 0;
});
afterAll(() => void server.close());

/** Returns a connected pair: our socket, and everything that the other end receives. */
async function open() {
	const arriving = once(server, "connection");
	const socket = openGatheringSocket();
	socket.connect(port, "127.0.0.1");
	const [[other]] = (await Promise.all([arriving, once(socket, "connect")])) as [[Socket], unknown];
	const told: Buffer[] = [];
	other.on("data", (chunk) => told.push(chunk));
	const ended = once(other, "end").then(() => Buffer.concat(told).toString());
	const writes: string[] = [];
	const write = socket._write.bind(socket);
	socket._write = (chunk, encoding, done) => {
		writes.push(String(chunk));
		write(chunk, encoding, done);
	};
	return { socket, writes, ended };
}

test("all writes of one event loop turn leave as one, in their order", async () => {
	const { socket, writes, ended } = await open();
	socket.write("a");
	// The driver itself gathers the parts of each statement.
	socket.cork();
	socket.write("b");
	socket.write(Buffer.from("c"));
	socket.uncork();
	await Promise.resolve();
	socket.write("d");
	await new Promise(setImmediate);
	expect(writes).toEqual(["abcd"]);
	socket.write("e");
	await new Promise(setImmediate);
	expect(writes).toEqual(["abcd", "e"]);
	socket.end();
	expect(await ended).toBe("abcde");
});

test("bytes written directly before the end arrive, and large writes arrive complete", async () => {
	const { socket, ended } = await open();
	const large = "x".repeat(3_000_000);
	socket.write("a");
	socket.write(large);
	socket.end("z");
	expect((await ended) === `a${large}z`).toBe(true);
});

test("a full socket returns false, and emits drain when it has room again", async () => {
	const { socket, ended } = await open();
	expect(socket.write(Buffer.alloc(8_000_000))).toBe(false);
	await once(socket, "drain");
	socket.end();
	expect((await ended).length).toBe(8_000_000);
});
