import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readTarget } from "#core/http/readTarget.ts";

/** Makes a request as Bun passes it from a socket: with a URL that `new Request` would refuse. */
function received(url: string, options: { method?: string; host?: string } = {}): Request {
	const headers: Record<string, string> = options.host === undefined ? {} : { host: options.host };
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

test("a broken escape is refused too, and its path is known", () => {
	expect(readTarget(received("http://a/v1/%ff"))).toMatchObject({
		path: "/v1/%ff",
		flaw: "The URL is not valid percent-encoded UTF-8.",
	});
});

test("a GET of HTTP/1.0 without a host is one of this machine, and normalised", () => {
	expect(readTarget(received("/a/../v1/x?q"))).toEqual({
		url: "http://localhost/v1/x?q",
		host: "localhost",
		path: "/v1/x",
		query: "q",
		flaw: undefined,
	});
	expect(readTarget(received("//v1/x")).path).toBe("//v1/x");
});

test("an https URL is passed on as http, where Elysia finds the same path", () => {
	const { url, path } = readTarget(received("https://a/v1/x?q"));
	expect({ url, path }).toEqual({ url: "http://a/v1/x?q", path: "/v1/x" });
});

// Guarantee: every reader of the URL (a parser, a text search, Elysia) finds what we found.
test("whatever is read, all who read the URL again find the same path and query", () => {
	const part = fc.stringMatching(/^[!-~]{0,6}$/);
	fc.assert(
		fc.property(fc.constantFrom("http", "https"), part, part, part, (scheme, host, path, query) => {
			const { url, ...target } = readTarget(received(`${scheme}://${host}/${path}?${query}`));
			if (target.flaw !== undefined) return;
			const parsed = new URL(url);
			expect([parsed.host, parsed.pathname]).toEqual([target.host, target.path]);
			const cut = url.slice(url.indexOf("/", "http://".length));
			expect(cut.split("?")[0]).toBe(target.path);
			expect(cut.split("?").slice(1).join("?")).toBe(target.query);
		}),
		{ numRuns: 2_000 },
	);
});
