import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { Elysia } from "elysia";
import fc from "fast-check";
import {
	acceptedCodings,
	type ContentCoding,
	contentOf,
	createEncoder,
	holdsTag,
} from "#core/http/content.ts";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeCached } from "#core/http/routeMarks.ts";
import { rawConnection } from "#core/http/testing/rawConnection.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { until } from "#test/harness/until.ts";

describe("acceptedCodings", () => {
	type Coding = ContentCoding | undefined;
	const cases: [header: string | null, large: Coding, small: Coding][] = [
		[null, "identity", "identity"],
		["", "identity", "identity"],
		["gzip", "gzip", "identity"],
		["x-gzip", "gzip", "identity"],
		["GZip , BR;Q=0.5", "gzip", "identity"],
		["gzip, deflate", "gzip", "identity"],
		["gzip, deflate, br", "br", "identity"],
		["gzip, deflate, br, zstd", "zstd", "identity"],
		["gzip;q=1.0, br;q=0.8, zstd;q=0.9", "gzip", "identity"],
		["br;q=0.001", "br", "identity"],
		["*", "zstd", "identity"],
		["*;q=0.5, zstd;q=0", "br", "identity"],
		["identity, gzip;q=0.5", "identity", "identity"],
		["identity;q=0.5, gzip;q=1", "gzip", "identity"],
		["identity;q=0, gzip", "gzip", "gzip"],
		["*;q=0, gzip", "gzip", "gzip"],
		["*;q=0, identity", "identity", "identity"],
		["identity;q=0", undefined, undefined],
		["*;q=0", undefined, undefined],
		["deflate, identity;q=0", undefined, undefined],
		["gzip;q=0", "identity", "identity"],
		["gzip;q=2", "identity", "identity"],
		["gzip;q=-1, br;q=0.0001, zstd;q=nan", "identity", "identity"],
		["gzip;level=9;q=0.3", "gzip", "identity"],
		[";;,,;q=1,=", "identity", "identity"],
		[
			"deflate, compress, exi, pack200-gzip, dcb, dcz, aes128gcm, x-gzip, br, gzip",
			"br",
			"identity",
		],
	];

	test("weights, refusals and the star are read as RFC 9110 defines them", () => {
		for (const [header, large, small] of cases) {
			// Twice, because the second answer is remembered.
			for (const _ of [1, 2]) {
				expect([header, acceptedCodings(header)]).toEqual([header, { large, small }]);
			}
		}
	});

	test("no refused coding is used, whatever else is in the header", () => {
		const names = ["gzip", "br", "zstd", "identity", "deflate", "*"];
		const wish = fc.tuple(fc.constantFrom(...names), fc.constantFrom("0", "0.5", "1", "0.000"));
		fc.assert(
			fc.property(fc.uniqueArray(wish, { selector: ([name]) => name }), (wishes) => {
				const header = wishes.map(([name, weight]) => `${name};q=${weight}`).join(", ");
				const weights = new Map(wishes.map(([name, weight]) => [name, Number(weight)]));
				for (const coding of Object.values(acceptedCodings(header))) {
					if (coding === undefined) {
						expect(weights.get("identity") ?? weights.get("*")).toBe(0);
						continue;
					}
					const fallback = coding === "identity" ? 1 : 0;
					expect(weights.get(coding) ?? weights.get("*") ?? fallback).toBeGreaterThan(0);
				}
			}),
		);
	});

	test("an encoding header is still parsed when more different ones came than are cached", () => {
		for (let index = 0; index < 400; index += 1) {
			expect(acceptedCodings(`gzip, x${index}`).large).toBe("gzip");
		}
		expect(acceptedCodings(`${"x, ".repeat(3_000)}br`).large).toBe("br");
	});
});

describe("cachedAnswers.sockets", () => {
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

	test("an answer is sent in the coding that its client prefers, complete and with its length", async () => {
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

	test("a small answer is sent uncompressed, unless the client accepts only compressed ones", async () => {
		const plain = await ask("/v1/small", { "Accept-Encoding": "gzip, br" });
		expect([plain.headers["content-encoding"], plain.body]).toEqual([undefined, '{"a":1}']);
		const forced = await ask("/v1/small", { "Accept-Encoding": "gzip, identity;q=0" });
		expect(gunzipSync(forced.bytes).toString()).toBe('{"a":1}');
	});

	test("a client with the current tag gets a 304 without a body, by weak comparison, in any coding", async () => {
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

	test("a range request gets the complete answer with 200", async () => {
		for (const path of [...BOTH, "/v1/small", "/v1/secret"]) {
			for (const range of [
				"bytes=0-0",
				"bytes=-1",
				"bytes=5-",
				"bytes=0-0, 2-3",
				"lines=1-2",
				"x",
			]) {
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
			expect([path, headers["content-encoding"], headers.etag]).toEqual([
				path,
				undefined,
				undefined,
			]);
		}
	});
});

describe("contentOf", () => {
	const tagOf = (value: unknown) => contentOf(JSON.stringify(value)).etag;
	const at = (second: number) => `2026-03-01T12:00:${String(second).padStart(2, "0")}.000Z`;

	test("a tag is weak, and the same for text and bytes", async () => {
		const text = '{"name":"漢字 🐈"}';
		const content = contentOf(text);
		expect(content.etag).toMatch(/^W\/"[0-9a-z]+"$/);
		expect(contentOf(new TextEncoder().encode(text))).toMatchObject({
			etag: content.etag,
			digest: content.digest,
			size: content.size,
		});
		expect(await content.blob.text()).toBe(text);
		expect(contentOf("").size).toBe(0);
	});

	test("another time in an answer changes its digest but not its tag, at any depth", () => {
		const answer = (second: number) => ({
			observedAt: at(second),
			rows: [{ servedAt: at(second), floor: 1 }],
			freshness: { headBlock: 5, servedAt: at(second) },
		});
		expect(tagOf(answer(1))).toBe(tagOf(answer(2)));
		const digests = [1, 2].map((second) => contentOf(JSON.stringify(answer(second))).digest);
		expect(digests[0]).not.toBe(digests[1]);
	});

	test("any other change of an answer changes its tag, also a text that resembles a time", () => {
		const seen = [
			{ servedAt: at(1), name: "a" },
			{ servedAt: at(1), name: "b" },
			{ servedAt: null, name: "a" },
			{ observedAt: at(1), name: "a" },
			{ indexedAt: at(1), name: "a" },
			{ name: `"servedAt":"${at(1)}"` },
			{ name: `"servedAt":"${at(2)}"` },
			{ name: `,"servedAt":"${at(1)}"` },
			{ name: `,"servedAt":"${at(2)}"` },
			{ '"servedAt': at(1) },
			{ '"servedAt': at(2) },
			{ servedAt: "x".repeat(41) },
			{ servedAt: "y".repeat(41) },
		].map(tagOf);
		expect(new Set(seen).size).toBe(seen.length);
	});

	// Guarantee: a client never keeps an old page because a new one has the same tag.
	test("two answers share a tag only if they are equal apart from their times", () => {
		const value = fc.jsonValue({ maxDepth: 3 });
		const answer = fc.record({
			data: value,
			servedAt: fc.integer({ min: 0, max: 59 }).map(at),
			"x\\": value,
		});
		fc.assert(
			fc.property(answer, answer, (one, other) => {
				const equal =
					JSON.stringify({ ...one, servedAt: 0 }) === JSON.stringify({ ...other, servedAt: 0 });
				const hasMoments = /servedAt|observedAt/.test(JSON.stringify([one.data, other.data]));
				if (!hasMoments) expect(tagOf(one) === tagOf(other)).toBe(equal);
			}),
		);
	});
});

describe("createEncoder", () => {
	function open() {
		let nowMs = 0;
		const encoder = createEncoder({ clock: { nowMs: () => nowMs } });
		return { encoder, move: (ms: number) => (nowMs += ms) };
	}

	const page = (second: number, text = "cats ".repeat(500)) =>
		contentOf(JSON.stringify({ text, servedAt: `2026-03-01T12:00:0${second}.000Z` }));

	test("decoding gives back the encoded bytes for every coding, and the encoded ones are fewer", async () => {
		const { encoder } = open();
		const content = page(1);
		const original = await content.blob.text();
		const back = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
		for (const coding of ["gzip", "br", "zstd"] as const) {
			const blob = await encoder.encode(content, coding);
			expect(blob?.size).toBeLessThan(content.size / 5);
			expect(back[coding](await (blob ?? new Blob()).bytes()).toString()).toBe(original);
			expect(encoder.ready(content, coding)).toBe(blob);
		}
		expect(await encoder.encode(content, "identity")).toBe(content.blob);
		expect(await encoder.encode(content, "unchanged")).toBeNull();
	});

	test("simultaneous requests share one body, and so does a later equal answer", async () => {
		const { encoder, move } = open();
		const bodies = await Promise.all(
			Array.from({ length: 20 }, () => encoder.encode(page(1), "br")),
		);
		expect(new Set(bodies).size).toBe(1);
		move(3_600_000);
		expect(encoder.ready(page(1), "br") === bodies[0]).toBe(true);
	});

	test("answers that differ only in their time are compressed ten times a second, without a wait", async () => {
		const { encoder, move } = open();
		const first = await encoder.encode(page(1), "gzip");
		move(99);
		expect(encoder.ready(page(2), "gzip") === first).toBe(true);
		move(1);
		// Requested once more, while the next one is being compressed.
		expect(encoder.ready(page(2), "gzip") === first).toBe(true);
		const second = await encoder.encode(page(2), "gzip");
		await until(() => encoder.ready(page(2), "gzip") !== first, "the next one is compressed");
		const now = encoder.ready(page(2), "gzip");
		expect(gunzipSync(await (now ?? new Blob()).bytes()).toString()).toContain("12:00:02");
		expect(second === first || second === now).toBe(true);
		move(1_000);
		expect(encoder.ready(page(3), "gzip")).toBeUndefined();
	});

	test("an answer's compressed body is never sent for another answer", async () => {
		const { encoder } = open();
		await encoder.encode(page(1), "zstd");
		expect(encoder.ready(page(1, "dogs ".repeat(500)), "zstd")).toBeUndefined();
		expect(encoder.ready(page(1), "gzip")).toBeUndefined();
	});

	test("compressed bodies are bounded in total: the least recently used is dropped first", async () => {
		const { encoder } = open();
		const noise = () => contentOf(crypto.getRandomValues(new Uint8Array(65_536)).toBase64());
		const contents = Array.from({ length: 270 }, noise);
		for (const content of contents) await encoder.encode(content, "gzip");
		const [first, last] = [contents[0], contents.at(-1)];
		if (!first || !last) throw new Error("nothing was made");
		expect(encoder.ready(first, "gzip")).toBeUndefined();
		expect(encoder.ready(last, "gzip")).toBeDefined();
		expect(contents.filter((one) => encoder.ready(one, "gzip")).length).toBeGreaterThan(200);
	});
});

describe("holdsTag", () => {
	const ETAG = 'W/"abc"';

	test("a tag is found as weak or strong, alone or in a list, and by the star", () => {
		const held = [ETAG, '"abc"', ' W/"abc" ', '"x", W/"abc"', 'W/"x","abc",W/"y"', "*", " * "];
		for (const header of [...held, `${'"x", '.repeat(2_000)}"abc"`]) {
			expect([header.slice(0, 40), holdsTag(header, ETAG)]).toEqual([header.slice(0, 40), true]);
		}
	});

	test("a header without the tag does not match", () => {
		const others = [
			"",
			"abc",
			'"ab"',
			'"abcd"',
			'W/"ABC"',
			'"*"',
			"W/abc",
			'"abc',
			'"a" bc"',
			"**",
		];
		for (const header of others) expect([header, holdsTag(header, ETAG)]).toEqual([header, false]);
	});
});
