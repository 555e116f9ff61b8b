import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	isAuthority,
	isPchars,
	isStatement,
	isUri,
	readTimestamp,
} from "#plugins/wallets/siwe/parseSiweMessage.ts";
import { cpuTimer } from "#test/harness/until.ts";

describe("readTimestamp", () => {
	test("[TRD-10] a timestamp means the same moment in every zone", () => {
		const noon = Date.UTC(2021, 8, 30, 12);
		expect(readTimestamp("2021-09-30T12:00:00Z")).toBe(noon);
		expect(readTimestamp("2021-09-30T12:00:00.000Z")).toBe(noon);
		expect(readTimestamp("2021-09-30T10:00:00-02:00")).toBe(noon);
		expect(readTimestamp("2021-09-30T17:30:00+05:30")).toBe(noon);
		expect(readTimestamp("2021-09-30T12:00:00.1239999Z")).toBe(noon + 123);
		expect(readTimestamp("2024-02-29T00:00:00Z")).toBe(Date.UTC(2024, 1, 29));
	});

	test("[TRD-10] a text that is no RFC 3339 time is refused", () => {
		const bad = [
			"",
			"now",
			"2021",
			"2021-09-30",
			"2021-09-30T12:00Z",
			"2021-09-30T12:00:00",
			"2021-09-30 12:00:00Z",
			"2021-09-30t12:00:00z",
			"2021-13-01T00:00:00Z",
			"2021-00-01T00:00:00Z",
			"2021-02-29T00:00:00Z",
			"2021-02-30T00:00:00Z",
			"2021-04-31T00:00:00Z",
			"2021-09-30T24:00:00Z",
			"2021-09-30T12:60:00Z",
			"2021-09-30T12:00:60Z",
			"2021-09-30T12:00:00.Z",
			"2021-09-30T12:00:00,5Z",
			"2021-09-30T12:00:00+24:00",
			"2021-09-30T12:00:00+02:60",
			"2021-09-30T12:00:00+0200",
			"2021-09-30T12:00:00+02",
			"2021-09-30T12:00:00Z ",
			" 2021-09-30T12:00:00Z",
			"+002021-09-30T12:00:00Z",
			"2021-9-30T12:00:00Z",
			"Thu, 30 Sep 2021 12:00:00 GMT",
			"1632999600",
			"２021-09-30T12:00:00Z",
		];
		expect(bad.filter((text) => readTimestamp(text) !== null)).toEqual([]);
	});

	test("a date's own ISO text is parsed to the millisecond", () => {
		const dates = fc.date({
			min: new Date("1000-01-01T00:00:00Z"),
			max: new Date("9999-12-31T23:59:59Z"),
			noInvalidDate: true,
		});
		fc.assert(
			fc.property(dates, (date) => expect(readTimestamp(date.toISOString())).toBe(date.getTime())),
		);
	});
});

describe("uriGrammar", () => {
	const IPV6 = [
		"::",
		"::1",
		"::cafe",
		"1::",
		"1:2:3:4:5:6:7:8",
		"1:2:3:4:5:6:1.2.3.4",
		"::ffff:192.0.2.1",
		"1::8",
		"1:2::7:8",
		"1:2:3:4:5::8",
		"1:2:3:4:5:6::8",
		"1:2:3:4:5:6:7::",
		"2001:db8::a:0:0:1",
	];
	const NOT_IPV6 = [
		"",
		":",
		":::",
		"1::2::3",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"12345::",
		"g::",
		"1:2:3:4:5:6:7:1.2.3.4",
		"::256.0.0.1",
		"::1%25eth0",
	];

	test("[TRD-10] a domain is an authority of RFC 3986: names, both kinds of address, user and port", () => {
		const good = [
			"service.org",
			"localhost",
			"localhost:8080",
			"127.0.0.1:8080",
			"test@127.0.0.1:8080",
			"user:word@host",
			"a%20b",
			"xn--bcher-kva.example",
			"host:",
			"[v1.a:b]",
			...IPV6.map((address) => `[${address}]`),
			"[::cafe]:443",
		];
		const bad = [
			"",
			":80",
			"user@",
			"a b",
			"a/b",
			"a?b",
			"a#b",
			"a%2",
			"a%zz",
			"bücher.example",
			"a\tb",
			"[::1",
			"::1]",
			"host:80a",
			"host:80:90",
			"a@b@c",
			"<host>",
			'"host"',
			"a\\b",
			...NOT_IPV6.map((address) => `[${address}]`),
		];
		expect(good.filter((text) => !isAuthority(text))).toEqual([]);
		expect(bad.filter(isAuthority)).toEqual([]);
	});

	test("[TRD-10] a URI has a scheme, and only the characters that RFC 3986 gives each part", () => {
		const good = [
			"https://service.org/login",
			"https://127.0.0.1/?query=one#begin",
			"https://[::cafe]",
			"https://127.0.0.1:4361",
			"ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu",
			"urn:isbn:0451450523",
			"did:example:123",
			"mailto:a@b.example",
			"file:///etc/hosts",
			"a:",
			"a:/",
			"a:b/c//d",
			"https://a/b%20c",
			"https://a/?x=/?:@",
			"tel:+1-816-555-1212",
		];
		const bad = [
			"",
			"service.org/login",
			"//service.org",
			"/login",
			"1http://a",
			":a",
			"https://a b",
			"https://a/b c",
			"https://a/%",
			"https://a/%g0",
			"https://a/#b#c",
			"https://a/[b]",
			"https://a/ü",
			"https://a/<b>",
			'https://a/"',
			"https://a/\\b",
			"https://a/^",
			"https://a/{b}",
			"https://a/|",
			"https://a/`",
			"https://[::g]/",
			"a:\n",
			"https://a:b/",
		];
		expect(good.filter((text) => !isUri(text))).toEqual([]);
		expect(bad.filter(isUri)).toEqual([]);
	});

	test("a statement is printable ASCII without quotes, and a request id has no blank", () => {
		expect(isStatement("I accept: https://a.example/tos [v1] (ok) 'yes' #1?")).toBe(true);
		for (const text of [
			"",
			'a"b',
			"a\nb",
			"a\rb",
			"a\tb",
			"ä",
			"a%20",
			"<b>",
			"a\\b",
			"a\u00a0b",
		]) {
			expect(isStatement(text)).toBe(false);
		}
		expect(["", "a-1:b@c%20"].filter(isPchars)).toEqual(["", "a-1:b@c%20"]);
		expect(["a b", "a/b", "%", "ä"].filter(isPchars)).toEqual([]);
	});

	test("a web URL and its host are accepted as a URI and an authority", () => {
		fc.assert(
			fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (text) => {
				expect(isUri(text)).toBe(true);
				expect(isAuthority(new URL(text).host)).toBe(true);
			}),
		);
	});

	// Guarantee: no text makes the grammar slow. Each of these would take minutes if it backtracked.
	test("long texts that nearly match are refused at once", () => {
		const long = "a".repeat(8_000);
		const texts = [
			`https://${long} `,
			`${long}:${"/a".repeat(4_000)} `,
			`a:${"%20".repeat(2_600)}%`,
		];
		const cpuMs = cpuTimer();
		expect(texts.filter((text) => isUri(text) || isAuthority(text))).toEqual([]);
		expect(isAuthority(`[${"1:".repeat(4_000)}]`)).toBe(false);
		expect(cpuMs()).toBeLessThan(1_000);
	});
});
