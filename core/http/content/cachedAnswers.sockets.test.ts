import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { Elysia } from "elysia";
import { canBeCached } from "#core/http/canBeCached.ts";
import { contentOf } from "#core/http/content/contentOf.ts";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { rawConnection } from "#core/http/testing/rawConnection.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log/silentLog.ts";

// Guarantee: answers over a socket follow RFC 9110 and 9111, whether the page was made for the
// client or repeated.

const PAGE = JSON.stringify({
	rows: Array.from({ length: 60 }, (_, id) => ({ id, name: "cat" })),
	servedAt: "2026-03-01T12:00:00.000Z",
});
const headers = { "content-type": "application/json" };
const content = contentOf(PAGE);
const page = ({ request }: { request: Request }, isRepeated: boolean) => {
	const context = requestContexts.get(request);
	if (isRepeated && context) context.repeat = () => ({ content, headers });
	return new Response(PAGE, { headers });
};
const routes = new Elysia()
	.use(
		new Elysia({ detail: canBeCached() })
			.get("/v1/made", (asked) => page(asked, false))
			.get("/v1/repeated", (asked) => page(asked, true))
			.get("/v1/small", () => ({ a: 1 }))
			.get("/v1/token", ({ set }) => {
				set.headers["cache-control"] = "no-store";
				return { token: "x".repeat(5_000) };
			}),
	)
	.get("/v1/secret", () => ({ token: "x".repeat(5_000) }));

let listener: HttpListener;
beforeAll(async () => {
	const app = testHttpApp({ routes: [routes] });
	listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log: silentLog });
	await ask("/v1/repeated");
});
afterAll(() => listener.stop());

async function ask(path: string, sent: Record<string, string> = {}, method = "GET") {
	const connection = rawConnection(listener.port);
	const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
	const bytes = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}\r\n`;
	const answer = await connection.ask(bytes, { hasNoBody: method === "HEAD" });
	connection.close();
	if (!answer) throw new Error("no answer came");
	return { ...answer, bytes: Buffer.from(answer.body, "latin1") };
}

const back = {
	gzip: gunzipSync,
	br: brotliDecompressSync,
	zstd: zstdDecompressSync,
	identity: (bytes: Buffer) => bytes,
};
const BOTH = ["/v1/made", "/v1/repeated"];
const TEN = "deflate, compress, exi, pack200-gzip, dcb, dcz, x-gzip, gzip;q=0.9, br;q=0.95, zstd";

const chosen: [accepted: string | undefined, coding: keyof typeof back][] = [
	[undefined, "identity"],
	["", "identity"],
	["identity", "identity"],
	["deflate", "identity"],
	["gzip", "gzip"],
	["gzip, deflate", "gzip"],
	["gzip;q=0.5, br;q=0.1", "gzip"],
	["br;q=1.0, gzip;q=0.8, *;q=0.1", "br"],
	["zstd", "zstd"],
	["gzip, deflate, br, zstd", "zstd"],
	["*", "zstd"],
	[TEN, "zstd"],
	["gzip;q=0, *;q=0.1", "zstd"],
	["identity;q=0, br", "br"],
];

test("an answer comes in the coding that its client likes best, whole and with its length", async () => {
	for (const path of BOTH) {
		for (const [accepted, coding] of chosen) {
			const sent = accepted === undefined ? {} : { "Accept-Encoding": accepted };
			// Twice: once made, once repeated.
			for (const _ of [1, 2]) {
				const { status, headers, bytes } = await ask(path, sent);
				const told = headers["content-encoding"] ?? "identity";
				expect({ path, accepted, status, told }).toEqual({
					path,
					accepted,
					status: 200,
					told: coding,
				});
				expect(Number(headers["content-length"])).toBe(bytes.byteLength);
				expect(back[coding](bytes).toString()).toBe(PAGE);
				expect(headers).toMatchObject({
					"content-type": "application/json",
					"cache-control": "public, max-age=0, must-revalidate",
					etag: content.etag,
					vary: "Accept-Encoding, Origin",
				});
			}
		}
	}
});

test("a client that accepts none of our codings gets 406 with a code", async () => {
	for (const path of [...BOTH, "/v1/small"]) {
		for (const accepted of ["identity;q=0", "*;q=0", "deflate, identity;q=0"]) {
			const { status, body, headers } = await ask(path, { "Accept-Encoding": accepted });
			expect({ path, status, code: JSON.parse(body).code }).toEqual({
				path,
				status: 406,
				code: "not_acceptable",
			});
			expect(headers["cache-control"]).toBe("no-store");
		}
	}
});

test("a small answer is sent as it is, unless only compressed ones are taken", async () => {
	const plain = await ask("/v1/small", { "Accept-Encoding": "gzip, br" });
	expect([plain.headers["content-encoding"], plain.body]).toEqual([undefined, '{"a":1}']);
	const forced = await ask("/v1/small", { "Accept-Encoding": "gzip, identity;q=0" });
	expect(gunzipSync(forced.bytes).toString()).toBe('{"a":1}');
});

test("a client with the current answer gets a 304 without a body, by weak comparison, in any coding", async () => {
	const { etag } = content;
	for (const path of BOTH) {
		for (const held of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
			for (const sent of [{}, { "Accept-Encoding": "br" }, { Range: "bytes=0-1" }]) {
				for (const method of ["GET", "HEAD"]) {
					const answer = await ask(path, { ...sent, "If-None-Match": held }, method);
					expect({ path, held, status: answer.status, body: answer.body }).toEqual({
						path,
						held,
						status: 304,
						body: "",
					});
					expect(answer.headers).toMatchObject({ etag, vary: "Accept-Encoding, Origin" });
					expect(answer.headers["content-encoding"]).toBeUndefined();
					expect(answer.headers["content-type"]).toBeUndefined();
				}
			}
		}
		for (const held of ['"other"', "", "nonsense"]) {
			expect((await ask(path, { "If-None-Match": held })).status).toBe(200);
		}
	}
});

test("HEAD has the headers of GET and its length, in every coding", async () => {
	for (const path of [...BOTH, "/v1/small", "/v1/secret"]) {
		for (const accepted of ["", "gzip", "br", "zstd"]) {
			const sent = { "Accept-Encoding": accepted, "X-Request-Id": "same" };
			const got = await ask(path, sent);
			const head = await ask(path, sent, "HEAD");
			expect([head.status, head.body]).toEqual([200, ""]);
			const { date: _, "ratelimit-remaining": __, ...expected } = got.headers;
			expect(head.headers).toMatchObject(expected);
		}
	}
});

test("a range is answered with the whole: 200, and never a part of another coding", async () => {
	for (const path of [...BOTH, "/v1/small", "/v1/secret"]) {
		for (const range of ["bytes=0-0", "bytes=-1", "bytes=5-", "bytes=0-0, 2-3", "lines=1-2", "x"]) {
			for (const more of [{}, { "If-Range": content.etag }, { "Accept-Encoding": "gzip" }]) {
				const whole = await ask(path, "Accept-Encoding" in more ? more : {});
				const { status, headers, bytes } = await ask(path, { ...more, Range: range });
				expect({ path, range, status }).toEqual({ path, range, status: 200 });
				expect(headers["content-range"]).toBeUndefined();
				expect(bytes.equals(whole.bytes)).toBe(true);
			}
		}
	}
});

// Guarantee: no answer that can hold a secret is ever compressed (BREACH), or kept by a cache.
test("an answer that is not declared public is sent uncompressed, without a tag", async () => {
	for (const path of ["/v1/secret", "/v1/token", "/v1/nowhere", "/healthz", "/links/x"]) {
		const { headers } = await ask(path, { "Accept-Encoding": "gzip, br, zstd" });
		expect([path, headers["content-encoding"], headers.etag]).toEqual([path, undefined, undefined]);
	}
});
