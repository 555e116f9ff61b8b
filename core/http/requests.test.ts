import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import { z } from "zod";
import { httpFault } from "#core/http/faults.ts";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import {
	exactNumbers,
	jsonTextFlaw,
	readQuery,
	readTarget,
	requestIdOf,
	strictQueries,
	urlFlaw,
} from "#core/http/requests.ts";
import { canBeCached } from "#core/http/routeMarks.ts";
import { type RawConnection, rawConnection } from "#core/http/testing/rawConnection.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";

describe("exactNumbers", () => {
	const app = testHttpApp({
		routes: [
			new Elysia().post("/v1/money", ({ body }) => body, {
				parse: [exactNumbers("amount"), "json"],
				body: z.object({
					amount: z.string(),
					count: z.int().optional(),
					rows: z.array(z.object({ amount: z.string() })).optional(),
				}),
			}),
		],
	});

	async function post(body: string) {
		const headers = { "content-type": "application/json" };
		const response = await app.handle(
			new Request("http://localhost/v1/money", { method: "POST", headers, body }),
		);
		return { status: response.status, body: (await response.json()) as any };
	}

	describe("a number in a money body", () => {
		const texts = ["0.1", "0.10000000000000000001", "90000000000000000001", "1e18", "-0", "1E+2"];
		for (const text of [...texts, "9".repeat(78)]) {
			test(`the number ${text} is read as it was written`, async () => {
				expect(await post(`{ "amount": ${text} }`)).toEqual({
					status: 200,
					body: { amount: text },
				});
			});
		}

		test("a string of the same digits gives the same number", async () => {
			expect((await post('{"amount":"0.05"}')).body).toEqual((await post('{"amount":0.05}')).body);
		});

		test("the named members are exact at any depth, and other members are not changed", async () => {
			const sent = '{"amount":1,"count":3,"rows":[{"amount":0.30}]}';
			expect((await post(sent)).body).toEqual({
				amount: "1",
				count: 3,
				rows: [{ amount: "0.30" }],
			});
		});

		for (const bad of ["0x10", "１", "1,5", "01", "1.", ".5", "+1", "NaN", "Infinity", "1_0"]) {
			test(`${bad} is no JSON, and answered so`, async () => {
				const answer = await post(`{"amount":${bad}}`);
				expect({ status: answer.status, code: answer.body.code }).toEqual({
					status: 400,
					code: "malformed_body",
				});
			});
		}

		test("the message for a body that is null, or no object, says what it is", async () => {
			for (const text of ["null", "1", '"x"', "[]", "false"]) {
				expect({ text, status: (await post(text)).status }).toEqual({ text, status: 422 });
			}
		});

		test("every decimal of any length survives", async () => {
			const decimal = fc
				.tuple(fc.bigInt({ min: 0n, max: 10n ** 77n }), fc.stringMatching(/^[0-9]{1,60}$/))
				.map(([whole, fraction]) => `${whole}.${fraction}`);
			await fc.assert(
				fc.asyncProperty(decimal, async (text) => {
					expect((await post(`{"amount":${text}}`)).body.amount).toBe(text);
				}),
				{ numRuns: 100 },
			);
		});
	});
});

describe("jsonTextFlaw", () => {
	const flawed: [name: string, text: string][] = [
		["a NUL in a value", '{"a":"x\\u0000y"}'],
		["a NUL in a key", '{"\\u0000":1}'],
		["a lone high surrogate", '"\\ud83d"'],
		["a lone high surrogate before text", '"\\ud83dabcdef"'],
		["a lone low surrogate", '"\\ude00"'],
		["two high surrogates", '"\\ud83d\\ud83d"'],
		["a thirty-third level", "[".repeat(33)],
		["a million levels", "[".repeat(1_000_000)],
		["objects without end", '{"a":'.repeat(40)],
		["a name that an object has twice", '{"amount":"1","amount":"2"}'],
		["one with the same value", '{"a":1,"a":1}'],
		["one far apart", '{"a":1,"b":{"c":[{"d":"}"}]},"e":"\\",\\"a\\":","a":2}'],
		["one that is spelt with an escape", '{"amount":1,"\\u0061mount":2}'],
		["one that is spelt with two escapes", '{"\\u0061":1,"\\u0061":2}'],
		["one with an escaped quote in it", '{"a\\"b":1,"a\\u0022b":2}'],
		["one in an object inside", '{"a":{"b":[0,{"c":1,"c":2}]}}'],
		["one behind an array", '{"a":[1,2],"a":3}'],
		["the empty name", '{"":1,"":2}'],
		["__proto__", '{"__proto__":1,"__proto__":2}'],
		["one between blanks", '{ "a" : 1 ,\n\t"a" : 2 }'],
	];
	for (const [name, text] of flawed) {
		test(`${name} is a flaw`, () => {
			expect(jsonTextFlaw(text)).toBeString();
		});
	}

	const fine: [name: string, text: string][] = [
		["an empty text", ""],
		["thirty-two levels", "[".repeat(32) + "]".repeat(32)],
		["a surrogate pair", '"\\ud83d\\ude00"'],
		["a backslash before u0000", '"\\\\u0000"'],
		["an escaped quote before a bracket", '"\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["'],
		["brackets in text", `"${"[".repeat(100)}"`],
		["many shallow arrays", `[${"[],".repeat(1_000)}[]]`],
		["the same name in two objects", '[{"a":1},{"a":1,"b":{"a":1}},{"a":{"a":{"a":1}}}]'],
		["a name that is also a value", '{"a":"a","b":["a","a"],"c":"b"}'],
		["names that differ in case", '{"a":1,"A":2}'],
		["a spelling that only looks the same", '{"\\\\u0061":1,"a":2}'],
		["names in a text", '"{\\"a\\":1,\\"a\\":2}"'],
		["texts beside each other in an array", '["a","a",{"a":1},"a"]'],
		["a name with an escape that is none", '{"\\x":1,"\\x"'.slice(0, 8)],
		["a text without end, which the parser refuses", '"abc'],
		["a backslash at the end, which the parser refuses", '"\\'],
	];
	for (const [name, text] of fine) {
		test(`${name} is no flaw`, () => {
			expect(jsonTextFlaw(text)).toBeUndefined();
		});
	}

	test("JSON without NUL, lone surrogates and depth has no flaw, whatever else it contains", () => {
		fc.assert(
			fc.property(fc.json({ maxDepth: 5, stringUnit: "binary" }), (text) => {
				const bad = /\\u0000/.test(text.replaceAll("\\\\", ""));
				expect(jsonTextFlaw(text) === undefined).toBe(!bad);
			}),
		);
	});

	/** Generates JSON text whose objects may have a name twice. */
	const name = fc.constantFrom("a", "b", "amount", "\\u0061", "\\u0061mount", '\\"', "\\u0022", "");
	const spelt = fc.letrec<{ value: string; object: string }>((tie) => ({
		value: fc.oneof(
			{ maxDepth: 4 },
			fc.constantFrom("1", "null", '"a"', '"{"', '"\\",\\"a\\":"'),
			tie("object"),
			fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
		),
		object: fc
			.array(fc.tuple(name, tie("value")), { maxLength: 3 })
			.map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(" , ")}}`),
	}));

	/** Detects duplicate names with a parser that keeps all of them. */
	function hasTwice(text: string): boolean {
		let isTwice = false;
		let sent = 0;
		// Each name gets its position as a prefix, so that all members are kept.
		const marked = text.replace(
			/"((?:[^"\\]|\\.)*)"( *:)/g,
			(_, key, colon) => `"${sent++} ${key}"${colon}`,
		);
		JSON.parse(marked, (_, value) => {
			if (value !== null && typeof value === "object" && !Array.isArray(value)) {
				const names = Object.keys(value).map((key) => key.slice(key.indexOf(" ") + 1));
				if (new Set(names).size < names.length) isTwice = true;
			}
			return value;
		});
		return isTwice;
	}

	test("a name that an object has twice is found at any place and in any spelling", () => {
		fc.assert(
			fc.property(spelt.value, (text) => {
				expect(jsonTextFlaw(text) !== undefined).toBe(hasTwice(text));
			}),
			{ numRuns: 2_000 },
		);
	});

	test("the problem names the member, and cuts a long name", () => {
		expect(jsonTextFlaw('{"amount":1,"amount":2}')).toBe('The body names "amount" more than once.');
		const long = "x".repeat(100_000);
		expect(jsonTextFlaw(`{"${long}":1,"${long}":2}`)?.length).toBeLessThan(120);
	});
});

describe("rawSegments", () => {
	// Guarantee: a backslash cannot bypass a proxy that decides by the raw path.

	let listener: HttpListener;
	let connection: RawConnection;
	let ran: string[];
	beforeAll(async () => {
		const note = ({ path }: { path: string }) => {
			ran.push(path);
			return { ran: path };
		};
		const routes = new Elysia()
			.get("/v1/admin/things", note)
			.get("/v1/things/:name", note)
			.post("/v1/admin/things", note);
		const app = testHttpApp({ routes: [routes] });
		listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log: silentLog });
		connection = rawConnection(listener.port);
	});
	afterAll(async () => {
		connection.close();
		await listener.stop();
	});

	async function ask(path: string, method = "GET") {
		ran = [];
		const answer = await connection.ask(
			`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
		);
		return answer && { status: answer.status, body: JSON.parse(answer.body) };
	}

	for (const [method, path] of [
		["GET", "/v1\\admin/things"],
		["GET", "/v1/admin\\things"],
		["GET", "/v1\\admin\\things"],
		["GET", "/v1/admin/things\\"],
		["GET", "/v1\\admin/things/"],
		["GET", "/v1/x\\..\\admin/things"],
		["GET", "/v1\\things/a%5Cb"],
		["GET", "http://localhost/v1\\admin/things?q=1"],
		["POST", "/v1\\admin/things"],
		["GET", "/healthz/../v1/admin/things"],
		["GET", "/healthz/%2e%2e/v1/admin/things"],
		["GET", "/healthz/.%2E/v1/admin/things"],
		["GET", "/healthz/%2E./v1/admin/things/"],
		["GET", "/./v1/admin/things"],
		["GET", "/v1/%2e/admin/things"],
		["GET", "/v1/admin/things/."],
		["GET", "/v1/admin/things/x/.."],
		["GET", "//../v1/admin/things"],
		["GET", "/x//../../v1/admin/things"],
		["GET", `${"/x".repeat(20)}${"/..".repeat(20)}/v1/admin/things`],
		["GET", "http://localhost/x/../v1/admin/things"],
		["POST", "/healthz/../v1/admin/things"],
		["GET", "/healthz/..;/v1/admin/things"],
		["GET", "/healthz/.;x=1/v1/admin/things"],
		["GET", "/healthz/..%3B/v1/admin/things"],
		["GET", "/healthz/%2E%2E;x/v1/admin/things"],
		["GET", "/healthz/%252e%252E/v1/admin/things"],
		["GET", "/healthz/%25252e./v1/admin/things"],
		["GET", "/healthz/.%252e%253bx/v1/admin/things"],
		["GET", "/v1/things/..%2fadmin%2fthings"],
		["GET", "/v1/things/x%2f..%2fadmin"],
		["GET", "/v1/things/x%5C%2e%2e"],
		["GET", "/v1/things/%2e%252fadmin"],
		["GET", "/v1/things/x%252F..%252fadmin"],
		["GET", "/v1/things/..%20"],
		["GET", "/v1/things/..%2520"],
	] as const) {
		test(`${method} ${path} is 400 and reaches no route`, async () => {
			expect(await ask(path, method)).toMatchObject({
				status: 400,
				body: { code: "malformed_url" },
			});
			expect(ran).toEqual([]);
		});
	}

	for (const path of [
		"/v1/admin/things",
		"/v1/admin/things/",
		"/v1/things/a%5Cb",
		"/v1/things/%F0%9F%90%B5",
		"/v1/things/...",
		"/v1/things/.a",
		"/v1/things/a.%2e",
		"/v1/things/a..;b",
		"/v1/things/..a;b",
		"/v1/things/a%2fb",
		"/v1/things/...;b",
		"/v1/things/a%252eb",
	]) {
		test(`GET ${path} reaches its route`, async () => {
			expect(await ask(path)).toMatchObject({ status: 200 });
			expect(ran).toHaveLength(1);
		});
	}
});

describe("readQuery", () => {
	test("a value is the text that was sent: commas, brackets and braces have no meaning", () => {
		for (const value of [
			"cats,dogs",
			"[1]",
			'{"a":1}',
			"a=b",
			"true",
			"",
			" ",
			"漢字",
			"a&b",
			"+",
		]) {
			const read = readQuery(`q=${encodeURIComponent(value)}`);
			expect({ ...read }).toEqual({ q: value });
		}
		expect({ ...readQuery("q=tidal+cats&a") }).toEqual({ q: "tidal cats", a: "" });
		expect(Object.keys(readQuery(""))).toEqual([]);
	});

	test("a parameter that is given several times has all its values, in any spelling of its name", () => {
		expect({ ...readQuery("a=1&b=2&a=1&%61=3") }).toEqual({ a: ["1", "1", "3"], b: "2" });
	});

	test("no parameter name changes a prototype", () => {
		const read = readQuery("__proto__=1&constructor=2&__proto__=3&toString=4");
		expect(Object.entries(read)).toEqual([
			["__proto__", ["1", "3"]],
			["constructor", "2"],
			["toString", "4"],
		]);
		expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
	});

	test("parsing a query that was encoded returns its parameters, for any characters", () => {
		const text = fc.string({ unit: "grapheme", maxLength: 8 });
		fc.assert(
			fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (pairs) => {
				const query = readQuery(new URLSearchParams(pairs).toString());
				expect(Object.entries(query).sort()).toEqual([...pairs].sort());
			}),
		);
	});
});

describe("readTarget", () => {
	/** Makes a request as Bun passes it from a socket: with a URL that `new Request` would refuse. */
	function received(url: string, options: { method?: string; host?: string } = {}): Request {
		const headers: Record<string, string> =
			options.host === undefined ? {} : { host: options.host };
		const request = new Request("http://localhost/", { method: options.method ?? "GET", headers });
		return Object.defineProperty(request, "url", { value: url });
	}

	const read: [url: string, host: string, path: string, query: string][] = [
		["http://localhost/", "localhost", "/", ""],
		["http://a/aa/v1/x?q=1", "a", "/aa/v1/x", "q=1"],
		["http://ab/a/v1/x", "ab", "/a/v1/x", ""],
		["http://abc//v1/x", "abc", "//v1/x", ""],
		["http://[::1]:8080/v1?", "[::1]:8080", "/v1", ""],
		["http://localhost/v1?a=/b?c", "localhost", "/v1", "a=/b?c"],
		["http://localhost/http://evil/v1", "localhost", "/http://evil/v1", ""],
		["http://localhost/v1%2fx", "localhost", "/v1%2fx", ""],
	];
	for (const [url, host, path, query] of read) {
		test(`${url} is ${path} of ${host}`, () => {
			expect(readTarget(received(url))).toEqual({ url, host, path, query, flaw: undefined });
		});
	}

	describe("a target that can be read in two ways is refused, and matches no route", () => {
		const refused: [name: string, request: Request][] = [
			["a port that is none", received("http://a:99999/v1/x")],
			["a port of letters", received("http://a:b/v1/x")],
			["no host before the port", received("http://:80/v1/x")],
			["half an IPv6 address", received("http://[::1/v1/x")],
			["an encoded slash in the host", received("http://x%2fy/v1/x")],
			["a name", received("http://u@x/v1/x")],
			["a name and a password", received("http://u:p@x/v1/x")],
			["capitals in the host", received("http://A/v1/x")],
			["a backslash", received("http://a\\v1/x")],
			["dots that are still there", received("http://a/../v1/x")],
			["a fragment", received("http://localhost/v1/x#y")],
			["an empty fragment", received("http://localhost/v1/x#")],
			["an authority", received("a:80", { method: "CONNECT" })],
			["an asterisk", received("*", { method: "OPTIONS" })],
			["another scheme", received("ftp://a/v1/x")],
			["no path", received("http://a?x")],
			["nothing", received("")],
			["a Host that is none", received("/v1/x", { host: "x y" })],
			["no Host, and a body", received("/v1/x", { method: "POST" })],
			["two hosts", received("http://a/v1/x", { host: "a, b" })],
			["the same host twice", received("http://a/v1/x", { host: "a, a" })],
		];
		for (const [name, request] of refused) {
			test(name, () => {
				const { path, flaw } = readTarget(request);
				expect({ path, isRefused: flaw !== undefined }).toEqual({ path: "", isRefused: true });
			});
		}
	});

	test("an invalid percent-escape is refused, and the path is still known", () => {
		expect(readTarget(received("http://a/v1/%ff"))).toMatchObject({
			path: "/v1/%ff",
			flaw: "The URL is not valid percent-encoded UTF-8.",
		});
	});

	test("a GET of HTTP/1.0 without a host is read as one to localhost, and normalised", () => {
		expect(readTarget(received("/a/../v1/x?q"))).toEqual({
			url: "http://localhost/v1/x?q",
			host: "localhost",
			path: "/v1/x",
			query: "q",
			flaw: undefined,
		});
		expect(readTarget(received("//v1/x")).path).toBe("//v1/x");
	});

	test("an https URL is passed on as http, for which Elysia finds the same path", () => {
		const { url, path } = readTarget(received("https://a/v1/x?q"));
		expect({ url, path }).toEqual({ url: "http://a/v1/x?q", path: "/v1/x" });
	});

	// Guarantee: every reader of the URL (a parser, a text search, Elysia) finds what we found.
	test("any parser that reads the URL again finds the same path and query", () => {
		const part = fc.stringMatching(/^[!-~]{0,6}$/);
		fc.assert(
			fc.property(
				fc.constantFrom("http", "https"),
				part,
				part,
				part,
				(scheme, host, path, query) => {
					const { url, ...target } = readTarget(received(`${scheme}://${host}/${path}?${query}`));
					if (target.flaw !== undefined) return;
					const parsed = new URL(url);
					expect([parsed.host, parsed.pathname]).toEqual([target.host, target.path]);
					const cut = url.slice(url.indexOf("/", "http://".length));
					expect(cut.split("?")[0]).toBe(target.path);
					expect(cut.split("?").slice(1).join("?")).toBe(target.query);
				},
			),
			{ numRuns: 2_000 },
		);
	});
});

describe("requestIdOf", () => {
	const idOf = (given?: string) =>
		requestIdOf(
			new Request(
				"http://localhost/",
				given === undefined ? {} : { headers: { "x-request-id": given } },
			),
			() => "made",
		);

	for (const id of ["a", "0198c1d2-7f1e-7a55", "A.b_c-9", "x".repeat(64)]) {
		test(`the caller's id "${id.slice(0, 20)}" is kept`, () => {
			expect(idOf(id)).toBe(id);
		});
	}

	// Guarantee: an id cannot inject text into our logs or headers.
	for (const id of ["", "x".repeat(65), "a b", "a\tb", '"}', "<b>", "a,b", "ü", "../x"]) {
		test(`the caller's id ${JSON.stringify(id.slice(0, 20))} is replaced`, () => {
			expect(idOf(id)).toBe("made");
		});
	}

	test("a request without an id gets a new one", () => {
		expect(idOf()).toBe("made");
	});
});

describe("strictQueries", () => {
	const query = z.object({ chain: z.string().optional(), limit: z.string().default("5") });
	const guarded = new Elysia({ prefix: "/v1/mine" })
		.derive(({ request }) => {
			if (!request.headers.has("authorization")) throw httpFault.unauthorized();
			return {};
		})
		.get("", ({ query }) => query, { query })
		.post("", ({ body }) => body, { body: z.object({ a: z.string() }) });
	const routes = [
		new Elysia().get("/v1/list", ({ query }) => query, { query }),
		new Elysia({ detail: canBeCached() }).get("/v1/bare/:id", ({ params }) => params),
		new Elysia().get("/v1/text", "x").delete("/v1/text", () => "gone"),
		new Elysia().get("/links/:token", () => "page", { detail: { hide: true } }),
		guarded,
	];

	async function ask(path: string, init: RequestInit = {}) {
		const app = testHttpApp({ routes });
		const response = await app.handle(new Request(`http://localhost${path}`, init));
		const text = await response.text();
		const isJson = response.headers.get("content-type")?.includes("json");
		return { status: response.status, body: isJson ? JSON.parse(text) : text };
	}

	async function expectRefused(path: string, issue: object, init: RequestInit = {}) {
		const { status, body } = await ask(path, init);
		expect({ path, status, code: body.code }).toEqual({
			path,
			status: 422,
			code: "validation_error",
		});
		expect(body.issues).toEqual([issue]);
		return body;
	}

	const json = { "content-type": "application/json" };

	test("an unknown parameter is refused, and the similar known one is suggested", async () => {
		const message = "is not a known parameter; did you mean chain?";
		const body = await expectRefused("/v1/list?chian=base", { path: "chian", message });
		expect(body.detail).toBe(`The query is not valid (chian): ${message}`);
		await expectRefused("/v1/list?%63hian=base", { path: "chian", message });
		await expectRefused("/v1/list?chain=base&colour=red", {
			path: "colour",
			message: "is not a known parameter; known here: chain, limit",
		});
	});

	test("a route that names no parameter takes none, whatever its method", async () => {
		const issue = { path: "a", message: "is not known: this route takes no query parameters" };
		await expectRefused("/v1/bare/1?a=1", issue);
		await expectRefused("/v1/text?a=1", issue);
		await expectRefused("/v1/text?a=1", issue, { method: "DELETE" });
		await expectRefused("/healthz?a=1", issue);
		await expectRefused("/metrics?a=1", issue);
		await expectRefused("/v1/mine?a=1", issue, {
			method: "POST",
			headers: { ...json, authorization: "Bearer x" },
			body: '{"a":"b"}',
		});
	});

	test("a parameter that is given twice is reported as such", async () => {
		for (const path of ["/v1/list?limit=1&limit=2", "/v1/list?limit=1&%6Cimit=1"]) {
			await expectRefused(path, { path: "limit", message: "is given more than once" });
		}
	});

	test("a value is not interpreted: a comma makes no list, brackets no JSON", async () => {
		for (const value of ["a,b", "[1]", '{"a":1}', "", "a+b"]) {
			const { status, body } = await ask(`/v1/list?chain=${encodeURIComponent(value)}`);
			expect({ status, body }).toEqual({ status: 200, body: { chain: value, limit: "5" } });
		}
	});

	test("a caller without a key gets 401, and does not see the names of parameters", async () => {
		expect((await ask("/v1/mine?chian=1")).status).toBe(401);
		const headers = { authorization: "Bearer x" };
		const message = "is not a known parameter; did you mean chain?";
		await expectRefused("/v1/mine?chian=1", { path: "chian", message }, { headers });
	});

	test("HTML pages accept the parameters that messengers add to a link", async () => {
		expect(await ask("/links/abc?utm_source=x&fbclid=1")).toEqual({ status: 200, body: "page" });
	});

	test("a query schema that is no object fails an assertion when the routes are mounted", () => {
		const odd = new Elysia().get("/v1/odd", () => "x", { query: z.record(z.string(), z.string()) });
		expect(() => strictQueries(odd)).toThrow("/v1/odd");
	});
});

describe("urlFlaw", () => {
	for (const part of [
		"%00",
		"a%00b",
		"%ff",
		"%E0%A4%A",
		"%",
		"%z1",
		"%C0%80",
		"%ED%A0%80",
		"?q=%ff",
		"?q=%00",
	]) {
		test(`${part} is a flaw`, () => {
			expect(urlFlaw(`http://localhost/${part}`)).toBeString();
		});
	}

	for (const part of ["", "a/b", "%20", "%2f", "%F0%9F%90%B5", "?q=%25&z=%C3%BC"]) {
		test(`${JSON.stringify(part)} is fine`, () => {
			expect(urlFlaw(`http://localhost/${part}`)).toBeUndefined();
		});
	}

	test("a part that encodeURIComponent made has no flaw, except for NUL", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), (text) => {
				const flaw = urlFlaw(`http://localhost/${encodeURIComponent(text)}`);
				expect(flaw === undefined).toBe(!text.includes("\u0000"));
			}),
		);
	});
});
