import { afterEach, describe, expect, test } from "bun:test";
import net from "node:net";
import { type AnyElysia, Elysia } from "elysia";
import { z } from "zod";
import type { HttpAppOptions } from "#core/http/createHttpApp.ts";
import { type HttpListener, listenHttp, refuseTakenPort } from "#core/http/listenHttp.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createMemoryLimiter, type Limiter } from "#core/limiter.ts";
import { silentLog } from "#core/log.ts";

describe("listenHttp", () => {
	const listeners: HttpListener[] = [];
	afterEach(async () => {
		for (const listener of listeners.splice(0)) await listener.stop();
	});

	async function start(
		routes: AnyElysia,
		options: Partial<HttpAppOptions> & { drainMs?: number } = {},
	) {
		const { drainMs = 2_000, log = silentLog, ...rest } = options;
		const app = testHttpApp({ ...rest, log, routes: [routes] });
		const listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log, drainMs });
		listeners.push(listener);
		return { app, ...listener };
	}

	const plain = () =>
		new Elysia().get("/v1/text", "plain").post("/v1/echo", ({ body }) => body as object);

	/** Sends raw bytes and returns the first answer. */
	function raw(port: number, text: string): Promise<string> {
		const { promise, resolve } = Promise.withResolvers<string>();
		let received = "";
		const socket = net.connect(port, "127.0.0.1", () => socket.write(text));
		socket.on("data", (data) => {
			received += data;
			if (isWhole(received)) socket.destroy();
		});
		socket.on("error", () => resolve(received));
		socket.on("close", () => resolve(received));
		return promise;
	}

	function isWhole(received: string): boolean {
		const [head = "", ...bodies] = received.split("\r\n\r\n");
		if (bodies.length === 0) return false;
		const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
		return bodies.join("\r\n\r\n").length >= length;
	}

	const request = (line: string, headers = "") =>
		`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;

	function closed(socket: WebSocket): Promise<CloseEvent> {
		return new Promise((resolve) => {
			socket.onclose = resolve;
		});
	}

	function opened(socket: WebSocket): Promise<"open" | "closed"> {
		return new Promise((resolve) => {
			socket.onopen = () => resolve("open");
			socket.addEventListener("close", () => resolve("closed"));
		});
	}

	describe("requests over a real socket [SEC-04]", () => {
		test("an invalid Host is refused before routing, and counts against its client", async () => {
			const routed: string[] = [];
			const routes = new Elysia()
				.get("/v1/text", () => routed.push("text"))
				.post("/v1/echo", () => routed.push("echo"));
			const { port } = await start(routes, {
				limiter: createMemoryLimiter({ requestsMax: 8, windowSeconds: 60 }),
			});
			const hosts = ["x y", "x/y", "", "u@x", "x?y"];
			for (const host of hosts) {
				const bytes = `GET /v1/text HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
				const answer = await raw(port, bytes);
				expect(answer).toStartWith("HTTP/1.1 400 ");
				expect(answer).toContain("The Host header names no host.");
				expect(answer.toLowerCase()).toContain("ratelimit-remaining: ");
			}
			const far = "POST /aaaaa/bbbbbb/v1/echo HTTP/1.1\r\nHost: x y\r\nContent-Length: 0\r\n\r\n";
			expect(await raw(port, far)).toStartWith("HTTP/1.1 400 ");
			expect(routed).toEqual([]);
		});

		test("HTTP/1.0 without a Host header is accepted, as probes send it, and is routed and metered", async () => {
			const { port } = await start(
				new Elysia().get("/v1/text", () => "plain", { query: z.object({ a: z.string() }) }),
			);
			expect(await raw(port, "GET /healthz HTTP/1.0\r\n\r\n")).toStartWith("HTTP/1.1 200 ");
			const answer = await raw(port, "GET /v1/text?a=/b HTTP/1.0\r\n\r\n");
			expect(answer).toStartWith("HTTP/1.1 200 ");
			expect(answer.toLowerCase()).toContain("ratelimit-remaining: 599");
			const posted = await raw(port, "POST /v1/text HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
			expect(posted).toStartWith("HTTP/1.1 400 ");
		});

		const probes: [name: string, bytes: string, status: number, code: string][] = [
			["a byte that is no UTF-8", request("GET /v1/%ff"), 400, "malformed_url"],
			["a NUL", request("GET /v1/%00"), 400, "malformed_url"],
			["a broken escape", request("GET /%E0%A4%A"), 400, "malformed_url"],
			["a wrong method", request("PUT /v1/text"), 405, "method_not_allowed"],
			[
				"a declared body too large",
				request("POST /v1/echo", "Content-Type: application/json\r\nContent-Length: 209715200\r\n"),
				413,
				"body_too_large",
			],
			[
				"an undeclared body too large",
				`${request("POST /v1/echo", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n")}180000\r\n${" ".repeat(0x180000)}\r\n0\r\n\r\n`,
				413,
				"body_too_large",
			],
			[
				"an absolute form of another host",
				request("GET http://evil.example/v1/nope"),
				404,
				"not_found",
			],
		];
		for (const [name, bytes, status, code] of probes) {
			test(`${name} gets a ${status} problem`, async () => {
				const { port } = await start(plain());
				const answer = await raw(port, bytes);
				expect(answer).toStartWith(`HTTP/1.1 ${status} `);
				expect(answer.toLowerCase()).toContain("content-type: application/problem+json");
				expect(answer).toContain(`"code":"${code}"`);
			});
		}

		test("HEAD announces the GET's length and sends no body", async () => {
			const { port } = await start(plain());
			const answer = await raw(port, request("HEAD /v1/text"));
			expect(answer.toLowerCase()).toContain("content-length: 5\r\n");
			expect(answer).toEndWith("\r\n\r\n");
		});

		test("an ordinary answer keeps its length", async () => {
			const { url } = await start(plain());
			const response = await fetch(`${url}/v1/text`);
			expect(response.headers.get("content-length")).toBe("5");
			const echoed = await fetch(`${url}/v1/echo`, {
				method: "POST",
				body: '{"a":1}',
				headers: { "content-type": "application/json" },
			});
			expect(await echoed.json()).toEqual({ a: 1 });
		});

		test("the client is the socket's address if there are no proxies [SEC-02]", async () => {
			const keys: string[] = [];
			const limiter: Limiter = {
				take: async (key) => {
					keys.push(key);
					return { allowed: true, limit: 1, remaining: 1, resetMs: 1, retryAfterMs: 0 };
				},
			};
			const { url } = await start(plain(), { limiter, trustedProxyHops: 0 });
			await (await fetch(`${url}/v1/text`, { headers: { "x-forwarded-for": "9.9.9.9" } })).text();
			expect(keys).toEqual(["127.0.0.1"]);
		});
	});

	describe("a stream", () => {
		const echo = () =>
			new Elysia().ws("/v1/stream", {
				beforeHandle() {},
				body: z.object({ a: z.number() }),
				open(socket) {
					socket.send("hello");
				},
				message(socket, message) {
					if (message.a === 500) throw new Error("c4n4ry");
					socket.send(message);
				},
			});

		test("a stream costs one request of the allowance, though hooks run twice [SEC-02]", async () => {
			let taken = 0;
			const limiter: Limiter = {
				take: async () => {
					taken += 1;
					return { allowed: true, limit: 600, remaining: 599, resetMs: 1_000, retryAfterMs: 0 };
				},
			};
			const { url } = await start(echo(), { limiter });
			const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream`);
			expect(await opened(socket)).toBe("open");
			expect(taken).toBe(1);
			socket.close();
		});

		test("a stream is refused with 429 when the allowance is used up [SEC-02]", async () => {
			const limiter: Limiter = {
				take: async () => ({
					allowed: false,
					limit: 600,
					remaining: 0,
					resetMs: 1_000,
					retryAfterMs: 1_000,
				}),
			};
			const { port } = await start(echo(), { limiter });
			const answer = await raw(port, upgrade());
			expect(answer).toStartWith("HTTP/1.1 429 ");
			expect(answer).toContain('"provider":"svc"');
		});

		const upgrade = (headers = "") =>
			"GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			`Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`;

		for (const [origin, status] of [
			["https://evil.com", 403],
			["null", 403],
		] as const) {
			test(`a stream for a page of ${origin} is refused with ${status} [SEC-03]`, async () => {
				const { port } = await start(echo());
				expect(await raw(port, upgrade(`Origin: ${origin}\r\n`))).toStartWith(
					`HTTP/1.1 ${status} `,
				);
			});
		}

		for (const host of ["x", "ab", "[::1]:80"]) {
			test(`a stream opens for the host ${host} at its own path only`, async () => {
				const { port } = await start(echo());
				const asked = upgrade().replace("localhost", host);
				expect(await raw(port, asked)).toStartWith("HTTP/1.1 101 ");
				const shifted = asked.replace("/v1/stream", "/aa/v1/stream");
				expect(await raw(port, shifted)).toStartWith("HTTP/1.1 404 ");
			});
		}

		test("a stream's answer to the upgrade carries the request's id and limits", async () => {
			const { port } = await start(echo());
			const answer = await raw(
				port,
				upgrade("Origin: https://app.example\r\nX-Request-Id: mine\r\n"),
			);
			const head = answer.toLowerCase();
			expect(head).toStartWith("http/1.1 101");
			expect(head).toContain("x-request-id: mine");
			expect(head).toContain("ratelimit-remaining: 599");
		});

		test("a stream answers an invalid frame without repeating it or showing an error", async () => {
			const errors: string[] = [];
			const log = { ...silentLog, error: (message: string) => errors.push(message) };
			const { url } = await start(echo(), { log });
			const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream`);
			const frames: string[] = [];
			const { promise: done, resolve } = Promise.withResolvers<void>();
			socket.onmessage = ({ data }) => {
				frames.push(String(data));
				if (frames.length === 2) resolve();
			};
			await opened(socket);
			socket.send('{"a":"c4n4ry"}');
			socket.send('{"a":500}');
			socket.send('{"a":1}');
			await done;
			expect(frames).toEqual(["hello", '{"a":1}']);
			expect(errors).toEqual(["a socket's handler failed"]);
			socket.close();
		});

		test("a stream with a frame over the limit is closed with 1009", async () => {
			const { url } = await start(echo());
			const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream`);
			await opened(socket);
			const closing = closed(socket);
			socket.send("x".repeat(64 * 1024 + 1));
			expect((await closing).code).toBe(1009);
		});
	});

	describe("stopping the server", () => {
		function slow() {
			const entered = Promise.withResolvers<void>();
			const release = Promise.withResolvers<void>();
			const routes = new Elysia().get("/v1/slow", async () => {
				entered.resolve();
				await release.promise;
				return "done";
			});
			return { routes, entered: entered.promise, release: release.resolve };
		}

		test("stopping finishes the current request, and reports not ready meanwhile", async () => {
			const { routes, entered, release } = slow();
			const { app, url, stop } = await start(routes);
			const answer = fetch(`${url}/v1/slow`);
			await entered;
			const stopping = stop();
			const ready = await app.handle(new Request("http://localhost/readyz"));
			expect(ready.status).toBe(503);
			expect(await ready.json()).toMatchObject({
				code: "not_ready",
				components: [{ name: "server", detail: "draining" }],
			});
			const refused = await app.handle(
				new Request("http://localhost/v1/slow", { headers: { upgrade: "websocket" } }),
			);
			expect(refused.status).toBe(503);
			release();
			const response = await answer;
			expect(await response.text()).toBe("done");
			expect(response.headers.get("connection")).toBe("close");
			await stopping;
			expect(fetch(`${url}/healthz`)).rejects.toThrow();
		});

		test("stopping closes streams with code 1012", async () => {
			const { url, stop } = await start(new Elysia().ws("/v1/stream", {}));
			const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream`);
			await opened(socket);
			const closing = closed(socket);
			await stop();
			expect(await closing).toMatchObject({ code: 1012, reason: "restarting" });
		});

		// Guarantee: a request that never ends cannot keep the process alive.
		test("stopping has a time limit: an unfinished request is cut off and logged", async () => {
			const { routes, entered } = slow();
			const warnings: [string, unknown][] = [];
			const log = {
				...silentLog,
				warn: (message: string, context?: unknown) => warnings.push([message, context]),
			};
			const { url, stop } = await start(routes, { drainMs: 20, log });
			const answer = fetch(`${url}/v1/slow`).catch(() => "cut off");
			await entered;
			await stop();
			expect(await answer).toBe("cut off");
			expect(warnings).toEqual([
				["requests were cut off by the end of the drain", { requests: 1, sockets: 0 }],
			]);
		});

		test("stopping twice has the effect of stopping once", async () => {
			const { stop } = await start(plain());
			expect(stop()).toBe(stop());
			await stop();
		});

		test("stopping frees the port for the next start", async () => {
			const first = await start(plain());
			await first.stop();
			const app = testHttpApp({ routes: [plain()] });
			const again = await listenHttp(app, { host: "127.0.0.1", port: first.port, log: silentLog });
			listeners.push(again);
			expect((await fetch(`${again.url}/v1/text`)).status).toBe(200);
		});

		test("a port that is in use gives an error, and is not shared", async () => {
			const { port } = await start(plain());
			const second = listenHttp(testHttpApp(), { host: "127.0.0.1", port, log: silentLog });
			expect(second).rejects.toThrow();
		});
	});

	test("the error for a port in use names it and its variable", async () => {
		const { port } = await start(plain());
		const app = testHttpApp({ routes: [plain()] });
		const options = { host: "127.0.0.1", port, log: silentLog };
		const failed = await listenHttp(app, options).catch((fault) => fault);
		expect(failed.code).toBe("port_in_use");
		expect(failed.publicDetail).toContain(`PORT is ${port}`);
	});
});

describe("refuseTakenPort", () => {
	test("a port that another program uses is refused, with the variable's name", async () => {
		const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
		const at = { host: "127.0.0.1", port: Number(other.port) };
		const refused = await refuseTakenPort(at).catch((fault) => fault);
		expect(refused).toMatchObject({
			code: "port_in_use",
			publicDetail: `PORT is ${at.port}, and another program listens there. Stop it, or set another PORT.`,
		});
		await other.stop(true);
		await refuseTakenPort(at);
	});

	test("a free port is still free after the check, and port 0 is always accepted", async () => {
		await refuseTakenPort({ host: "127.0.0.1", port: 0 });
		const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
		const at = { host: "127.0.0.1", port: Number(probe.port) };
		await probe.stop(true);
		await refuseTakenPort(at);
		await refuseTakenPort(at);
	});
});
