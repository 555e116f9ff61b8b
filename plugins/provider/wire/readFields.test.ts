import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import { orderTotal } from "#plugins/provider/wire/orders.ts";
import {
	keepRaw,
	parseWireJson,
	readTimeMs,
	readUint,
	readUnits,
	wireField,
} from "#plugins/provider/wire/rows.ts";

describe("parseWireJson", () => {
	test("[MRG-15] an integer of any size is read with all its digits", () => {
		fc.assert(
			fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), (amount) => {
				expect(readUint(parseWireJson(`${amount}`))).toBe(amount);
				const inside = parseWireJson(`{"a": [1,{"value" :${amount}}]}`);
				expect(inside).toMatchObject({ a: [1, {}] });
				expect(JSON.stringify(inside)).toContain(String(amount));
			}),
		);
	});

	test("a text without large numbers is read as by JSON.parse", () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				const told = JSON.stringify(parseWireJson(text));
				const exact = /\d{16}|\d[eE]/.test(text);
				if (!exact) expect(told).toBe(JSON.stringify(JSON.parse(text)));
			}),
		);
	});

	test("exponents become integers, numbers above any amount become null, fractions stay numbers", () => {
		expect(parseWireJson("[1e18,1.5e21,1e999,-1e20,0.02,1e-3,12.50]")).toEqual([
			"1000000000000000000",
			"1500000000000000000000",
			null,
			"-100000000000000000000",
			0.02,
			0.001,
			12.5,
		]);
	});

	test("a text that is no JSON gives undefined", () => {
		for (const text of ["", "{", "NaN", "<p>", "[".repeat(1_000_000)]) {
			expect(parseWireJson(text)).toBeUndefined();
		}
	});
});

describe("texts", () => {
	test("[MRG-15] a text is cleaned to one or several lines, and a URL is kept if it may be shown", () => {
		expect(wireField.name.parse("A\u0000B\u202eC\u200bD\nE")).toBe("A B C D E");
		expect(wireField.prose.parse("a\u202e\r\nb")).toBe("a\nb");
		expect(wireField.name.parse("x".repeat(1e6))).toHaveLength(256);
		expect(wireField.media.parse("ipfs://cid/1")).toBe("ipfs://cid/1");
		expect(wireField.media.parse("https://a:b@c.example/1")).toBe("https://c.example/1");
		expect(wireField.link.parse("ipfs://cid")).toBeNull();
		expect(wireField.link.parse("https://a.example/x")).toBe("https://a.example/x");
		for (const url of [...hostileUrls, `https://a.example/${"x".repeat(3_000)}`, 7, null]) {
			expect(wireField.media.parse(url)).toBeNull();
			expect(wireField.link.parse(url)).toBeNull();
		}
	});

	test("a slug never contains a path", () => {
		const slug = (value: unknown) => wireField.slug.parse(value);
		expect(slug("cats-2")).toBe("cats-2");
		for (const value of ["", ".", "..", "a/b", "a b", "a%2e", "a\u0000", "x".repeat(257), 7]) {
			expect(slug(value)).toBeNull();
		}
	});
});

describe("numbers", () => {
	test("amounts are read from decimal or hexadecimal text, up to uint256, and never from a double", () => {
		expect(readUint("90000000000000000001")).toBe(90_000_000_000_000_000_001n);
		expect(readUint("0x10")).toBe(16n);
		expect(readUint(7)).toBe(7n);
		const wrong = ["1e18", "1.0", "-1", "", " 1", "１", -1, 1.5, 2 ** 53, null, {}, "9".repeat(78)];
		for (const value of wrong) expect(readUint(value)).toBeNull();
		expect(readUnits(undefined)).toBe(1n);
		expect(readUnits("x")).toBeNull();
	});

	test("figures are finite and not negative", () => {
		const figure = (value: unknown) => wireField.figure.parse(value);
		expect([figure(0.5), figure("12.25"), figure(0)]).toEqual([0.5, 12.25, 0]);
		for (const value of [-1, "x", Number.NaN, null, {}, "1e9", true]) {
			expect(figure(value)).toBeNull();
		}
	});

	test("times are read from seconds, milliseconds or ISO, with a plausible year", () => {
		const ms = Date.UTC(2026, 0, 1);
		for (const value of [ms / 1_000, String(ms / 1_000), ms, "2026-01-01", "2026-01-01T00:00:00"]) {
			expect(readTimeMs(value)).toBe(ms);
		}
		expect(readTimeMs("2026-01-01T00:00:00.123456")).toBe(ms + 123);
		expect(readTimeMs("2026-01-01T02:00:00+02:00")).toBe(ms);
		const wrong = [0, -1, "soon", "9".repeat(77), 1e15, null, {}, "2026-99-01", Number.NaN];
		for (const value of wrong) expect(readTimeMs(value)).toBeNull();
	});

	test("[MRG-15] an order's cost is read as the seller signed it", () => {
		const signed = { units: 10n, remaining: 4n, signedTotal: 1_000n };
		expect(orderTotal(400n, signed)).toBe(400n);
		expect(orderTotal(1_000n, signed)).toBe(400n);
		expect(orderTotal(100n, signed)).toBe(400n);
		// Dearer than signed, by a fee that is added when it is filled.
		expect(orderTotal(1_025n, signed)).toBe(410n);
		expect(orderTotal(500n, { units: 1n, remaining: 1n, signedTotal: 400n })).toBe(500n);
		expect(orderTotal(500n, { units: null, remaining: 3n, signedTotal: null })).toBe(500n);
	});
});

describe("keepRaw", () => {
	const options = { bytesMax: 64 * 1_024, mayShorten: true };

	test("a row is stored unchanged, without characters that PostgreSQL refuses", () => {
		const row = JSON.parse(
			'{"a":[1,null,{"b":"x\\u0000y\\u202e"}],"__proto__":{"c":1},"d\\u0000":2}',
		);
		expect(keepRaw(row, options)).toEqual({ a: [1, null, { b: "xy" }], d: 2 });
	});

	test("[MRG-15] the raw row that is kept is small, shallow and storable", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (row) => {
				const text = JSON.stringify(keepRaw(row, options));
				expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1_024);
				expect(text).not.toContain("\\u0000");
			}),
		);
		let deep: unknown = 1;
		for (let level = 0; level < 100_000; level++) deep = [deep];
		expect(JSON.stringify(keepRaw({ deep }, options)).length).toBeLessThan(100);
	});

	test("texts in a large row are shortened, or the row is refused if they may not be", () => {
		const row = { a: "x".repeat(100_000), b: 1 };
		expect(keepRaw(row, options)).toEqual({ a: "x".repeat(256), b: 1 });
		expect(keepRaw(row, { ...options, mayShorten: false })).toBeNull();
		const many = { list: Array.from({ length: 100_000 }, (_, index) => index) };
		expect(keepRaw(many, options)).toBeNull();
	});
});
