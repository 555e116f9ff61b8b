import { afterEach, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { requestOnce } from "#core/foreign/requestOnce.ts";
import { startRawServer } from "#core/foreign/testing/canary.ts";

const closing: (() => void)[] = [];
afterEach(() => {
	for (const close of closing.splice(0)) close();
});

/** A minute to answer in: whoever waits for that has failed. */
async function ask(speak: (socket: Socket) => void, isKept = false) {
	const server = await startRawServer(speak);
	closing.push(server.close);
	return requestOnce({
		url: new URL(`http://flood.example:${server.port}/`),
		addresses: ["127.0.0.1"],
		accept: "*/*",
		bytesMax: 100_000,
		signal: AbortSignal.timeout(60_000),
		isKept,
	});
}

/** As fast as it is taken, without an end. */
const flood = (first: string, again: string) => (socket: Socket) => {
	const block = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)));
	const pour = () => {
		while (!socket.destroyed && socket.write(block));
	};
	socket.on("drain", pour);
	socket.write(first);
	pour();
};
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

test("[SEC-05] answers that only announce others end soon, not when time is over", async () => {
	for (const again of [
		"HTTP/1.1 100 Continue\r\n\r\n",
		"HTTP/1.1 102 Processing\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
	]) {
		await expect(ask(flood("", again))).rejects.toThrow("foreign_unreachable");
	}
});

test("[SEC-05] what is sent around a body counts: blank lines, chunk sizes, extensions", async () => {
	for (const [first, again] of [
		["", "\r\n"],
		[CHUNKED, "0"],
		[CHUNKED, `1;${"x".repeat(1_000)}\r\na\r\n`],
	] as const) {
		await expect(ask(flood(first, again)), again).rejects.toThrow("foreign_too_large");
	}
});

test("a few answers before the answer, and a body in small chunks, are ordinary", async () => {
	const early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(8);
	const chunks = "8\r\n12345678\r\n".repeat(4_000);
	for (const isKept of [false, true]) {
		const answer = await ask((socket) => {
			socket.end(`${early}${CHUNKED}${chunks}0\r\n\r\n`);
		}, isKept);
		expect(answer.body.toString()).toBe("12345678".repeat(4_000));
	}
});
