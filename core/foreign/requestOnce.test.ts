import { afterEach, describe, expect, test } from "bun:test";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import {
	collectBody,
	inflateBody,
	type OneRequest,
	requestOnce,
} from "#core/foreign/requestOnce.ts";
import { startRawServer } from "#core/foreign/testing/canary.ts";

describe("collectBody", () => {
	/** An answer as the parser makes it, without a server. */
	function answer(headers: Record<string, string> = {}) {
		const response = new IncomingMessage(new Socket());
		Object.assign(response.headers, headers);
		return response;
	}

	const say = (response: IncomingMessage, pieces: Iterable<Uint8Array>) => {
		for (const piece of pieces) response.push(piece);
		response.complete = true;
		response.push(null);
	};

	test("a body is returned unchanged, up to the last allowed byte", async () => {
		const response = answer({ "content-length": "6" });
		const body = collectBody(response, 6);
		say(response, [Buffer.from("abc"), Buffer.from("def")]);
		expect((await body).toString()).toBe("abcdef");
	});

	test("[SEC-05] a body with one byte too many is refused, whether announced or sent", async () => {
		await expect(collectBody(answer({ "content-length": "7" }), 6)).rejects.toThrow("too_large");
		const response = answer();
		const body = collectBody(response, 6);
		say(response, [Buffer.from("abc"), Buffer.from("defg")]);
		await expect(body).rejects.toThrow("foreign_too_large");
	});

	test("[SEC-05] a body in tiny pieces is refused long before it has too many bytes", async () => {
		const response = answer();
		const body = collectBody(response, 1_000_000);
		response.resume();
		say(response, Array(5_000).fill(Buffer.from("a")));
		await expect(body).rejects.toThrow("foreign_too_large");
	});

	test("an answer that ends before its announced body is refused", async () => {
		const response = answer();
		const body = collectBody(response, 1_000_000);
		response.push(Buffer.from("abc"));
		response.destroy();
		await expect(body).rejects.toThrow("foreign_unreachable");
	});
});

describe("inflateBody", () => {
	const text = Buffer.from('{"name":"Cat"}');
	const forms: [string, Buffer][] = [
		["gzip", gzipSync(text)],
		["deflate", deflateSync(text)],
		["br", brotliCompressSync(text)],
		["identity", text],
	];

	test("a body in each supported encoding is decoded", async () => {
		for (const [name, body] of forms) expect(await inflateBody(body, name, 14)).toEqual(text);
		expect(await inflateBody(text, null, 14)).toEqual(text);
	});

	test("[SEC-05] a decompression bomb of any encoding stops at the limit and uses little memory", async () => {
		const zeros = Buffer.alloc(100 * 1024 * 1024);
		const bombs: [string, Buffer][] = [
			["gzip", gzipSync(zeros)],
			["deflate", deflateSync(zeros)],
			["br", brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
		];
		for (const [name, bomb] of bombs) {
			const before = process.memoryUsage.rss();
			await expect(inflateBody(bomb, name, 1024 * 1024), name).rejects.toThrow("foreign_too_large");
			expect(process.memoryUsage.rss() - before, name).toBeLessThan(64 * 1024 * 1024);
		}
	});

	test("an invalid, unknown or double encoding is refused", async () => {
		for (const [name, body] of forms.slice(0, 3)) {
			await expect(inflateBody(body.subarray(0, 8), name, 99)).rejects.toThrow("unreachable");
		}
		await expect(inflateBody(zstdCompressSync(text), "zstd", 99)).rejects.toThrow("unreachable");
		for (const name of ["gzip, gzip", "compress", "constructor", "toString"]) {
			await expect(inflateBody(gzipSync(text), name, 99)).rejects.toThrow("unreachable");
		}
	});
});

describe("limitWire", () => {
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

	test("[SEC-05] an endless series of 1xx answers is ended early, before the time limit", async () => {
		for (const again of [
			"HTTP/1.1 100 Continue\r\n\r\n",
			"HTTP/1.1 102 Processing\r\n\r\n",
			"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
		]) {
			await expect(ask(flood("", again))).rejects.toThrow("foreign_unreachable");
		}
	});

	test("[SEC-05] the bytes around a body count too: blank lines, chunk sizes, extensions", async () => {
		for (const [first, again] of [
			["", "\r\n"],
			[CHUNKED, "0"],
			[CHUNKED, `1;${"x".repeat(1_000)}\r\na\r\n`],
		] as const) {
			await expect(ask(flood(first, again)), again).rejects.toThrow("foreign_too_large");
		}
	});

	test("a few 1xx answers before the final one, and a body in small chunks, are accepted", async () => {
		const early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(8);
		const chunks = "8\r\n12345678\r\n".repeat(4_000);
		for (const isKept of [false, true]) {
			const answer = await ask((socket) => {
				socket.end(`${early}${CHUNKED}${chunks}0\r\n\r\n`);
			}, isKept);
			expect(answer.body.toString()).toBe("12345678".repeat(4_000));
		}
	});
});

describe("requestOnce", () => {
	let close = () => {};
	afterEach(() => close());

	async function ask(
		speak: (socket: Socket, head: string) => void,
		{ timeoutMs = 5_000, ...rest }: Partial<OneRequest> & { timeoutMs?: number } = {},
	) {
		const server = await startRawServer(speak);
		close = server.close;
		const late = new AbortController();
		const timer = setTimeout(() => late.abort(), timeoutMs);
		const answer = requestOnce({
			url: new URL(`http://no-such-name.example:${server.port}/a?b`),
			addresses: ["127.0.0.1"],
			accept: "application/json",
			bytesMax: 1_000_000,
			signal: late.signal,
			isKept: false,
			...rest,
		});
		return answer.finally(() => clearTimeout(timer));
	}

	const say = (text: string) => (socket: Socket) => void socket.end(text);
	/** Writes again and again until the other side is gone. */
	const forever = (first: string, again: string | Buffer, everyMs: number) => (socket: Socket) => {
		socket.write(first);
		const timer = setInterval(() => socket.write(again), everyMs);
		socket.on("close", () => clearInterval(timer));
	};

	test("[SEC-05] the checked address is called, with the host name of the URL", async () => {
		const heads: string[] = [];
		const answer = await ask((socket, head) => {
			heads.push(head);
			socket.end(
				"HTTP/1.1 200 OK\r\nContent-Type: Text/JSON; charset=x\r\nContent-Length: 2\r\n\r\n{}",
			);
		});
		expect(answer).toMatchObject({ status: 200, contentType: "text/json", location: null });
		expect(answer.body.toString()).toBe("{}");
		expect(heads).toHaveLength(1);
		const [requestLine, ...fields] = heads[0]?.trim().toLowerCase().split("\r\n") ?? [];
		expect(requestLine).toBe("get /a?b http/1.1");
		expect(fields.map((field) => field.split(":")[0]).sort()).toEqual(
			["accept", "accept-encoding", "connection", "host", "user-agent"].sort(),
		);
		expect(heads[0]).toContain("no-such-name.example");
	});

	test("a redirect is returned and not followed, and its body is not read", async () => {
		const head = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n";
		const answer = await ask(forever(head, "x".repeat(1_000), 1));
		expect(answer).toMatchObject({ status: 302, location: "http://127.0.0.1:1/" });
		expect(answer.body).toHaveLength(0);
	});

	test("[SEC-05] the reading of a body stops at the limit, announced or not", async () => {
		const megabyte = Buffer.alloc(1_048_576);
		const before = process.memoryUsage.rss();
		for (const head of [
			"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
			"HTTP/1.1 200 OK\r\n\r\n",
		]) {
			await expect(ask(forever(head, megabyte, 1))).rejects.toThrow("foreign_too_large");
			close();
		}
		expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
	});

	test("[SEC-05] endless header fields are refused at once", async () => {
		const endless = forever("HTTP/1.1 200 OK\r\n", `X-A: ${"a".repeat(4_000)}\r\n`, 1);
		await expect(ask(endless)).rejects.toThrow("foreign_unreachable");
	});

	test("[SEC-05] a server that sends slowly, too much or nothing is given up at the limits", async () => {
		const slow = [
			forever("", "H", 60_000),
			forever("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "a", 10),
			forever("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n", 10),
			forever("", "HTTP/1.1 103 Early Hints\r\n\r\n", 1),
			forever(
				"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
				"a",
				10,
			),
		];
		for (const speak of slow) {
			await expect(ask(speak, { timeoutMs: 60 })).rejects.toThrow("foreign_unreachable");
			close();
		}
	});

	test("an answer that breaks off, or is not HTTP, is a failure", async () => {
		const broken = [
			"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
			"garbage\r\n\r\n",
			"",
		];
		for (const text of broken) {
			await expect(ask(say(text)), text).rejects.toThrow("foreign_unreachable");
			close();
		}
		await expect(ask(say(""), { signal: AbortSignal.abort() })).rejects.toThrow(
			"foreign_unreachable",
		);
	});

	test("a kept connection is used again, and one that the server closed is replaced", async () => {
		const sockets = new Set<Socket>();
		let asked = 0;
		const server = await startRawServer((socket) => {
			sockets.add(socket);
			const say = () => {
				asked++;
				socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
			};
			say();
			// The third request finds a server that has had enough of the connection.
			socket.on("data", () => (asked === 2 ? socket.destroy() : say()));
		});
		close = server.close;
		const once = () =>
			requestOnce({
				url: new URL(`http://kept.example:${server.port}/`),
				addresses: ["127.0.0.1"],
				accept: "*/*",
				bytesMax: 10,
				signal: new AbortController().signal,
				isKept: true,
			});
		expect((await once()).body.toString()).toBe("{}");
		expect((await once()).body.toString()).toBe("{}");
		expect(sockets.size).toBe(1);
		expect((await once()).body.toString()).toBe("{}");
		expect(sockets.size).toBe(2);
	});
});
