import { describe, expect, test } from "bun:test";
import { z } from "zod";
import {
	addressRange,
	callRates,
	commaList,
	exactOrigin,
	expectation,
	fieldOf,
	isDatabaseUrl,
	jsonText,
	readBoolean,
	readNumber,
	rpcUrls,
} from "#core/config/fields.ts";

describe("addressRange", () => {
	test("an address or a range is accepted, a name or an invalid range is refused", () => {
		for (const text of ["10.0.0.0/8", "203.0.113.7", "fd00::/8"]) {
			expect(addressRange.parse(text)).toBe(text);
		}
		for (const text of ["proxy.example", "10.0.0.0/33", "10.1", ""]) {
			expect(addressRange.safeParse(text).success).toBe(false);
		}
	});
});

describe("callRates", () => {
	test("one number is the rate of all endpoints, and names are read in any case", () => {
		expect(callRates.parse("100")).toEqual({ "*": 100 });
		expect(callRates.parse('{"Base":50,"8453":60,"RPC.example.com":25}')).toEqual({
			base: 50,
			"8453": 60,
			"rpc.example.com": 25,
		});
	});

	test("a text that is no rate is refused", () => {
		for (const text of ["", "fast", "0", "-1", "1e9", '{"base":"100"}', "[100]", "null"]) {
			expect(callRates.safeParse(text).success).toBe(false);
		}
	});
});

describe("commaList", () => {
	test("blanks, empty items and repeated items are dropped", () => {
		expect(commaList(z.string()).parse(" a, b ,,a,")).toEqual(["a", "b"]);
		expect(commaList(z.string()).parse(" , ")).toEqual([]);
	});

	test("an invalid item is reported with its position", () => {
		const result = commaList(z.enum(["a", "b"])).safeParse("a,c");
		expect(result.error?.issues[0]?.path).toEqual([1]);
	});
});

describe("exactOrigin", () => {
	test("only an origin as a browser sends it is accepted", () => {
		for (const text of ["https://app.example", "http://localhost:3000", "http://[::1]:80"]) {
			expect({ text, ok: exactOrigin.safeParse(text).success }).toEqual({
				text,
				ok: text !== "http://[::1]:80",
			});
		}
	});

	test("the error for an invalid origin suggests the right one, except for a wildcard", () => {
		const messageOf = (text: string) => exactOrigin.safeParse(text).error?.issues[0]?.message;
		expect(messageOf("https://App.example/path")).toContain("did you mean https://app.example?");
		expect(messageOf("https://*.example")).not.toContain("did you mean");
	});
});

describe("expectation", () => {
	test("each kind of variable has a text that says what is expected", () => {
		const words: [z.ZodType, string | undefined][] = [
			[z.boolean().default(true), "true or false (or 1/0, yes/no)"],
			[z.int(), "a whole number"],
			[z.number(), "a number"],
			[z.int().min(0).max(65_535).default(4000), "a whole number from 0 to 65535"],
			[z.int().min(1), "a whole number, at least 1"],
			[z.number().max(10), "a number, at most 10"],
			[z.number().positive(), "a number, more than 0"],
			[z.number().gt(0).lt(1), "a number, more than 0 and less than 1"],
			[z.enum(["a", "b"]).default("a"), "one of a, b"],
			[z.literal(["x", "y"]), "one of x, y"],
			[z.url().optional(), "a URL"],
			[z.string().min(32), "a text of at least 32 characters"],
			[z.string().min(1), "a text"],
			[z.string().regex(/x/).meta({ expects: "an x" }), "an x"],
			[z.string().regex(/x/), undefined],
		];
		for (const [schema, expected] of words)
			expect(expectation(fieldOf(schema))).toBe(expected as string);
	});
});

describe("fieldOf", () => {
	test("description, expected format and secrecy are found under every zod wrapper", () => {
		const inner = z.string().meta({ expects: "words", secret: true }).describe("Inner.");
		for (const schema of [
			inner,
			inner.optional(),
			inner.default("x").readonly(),
			inner.nullable(),
		]) {
			expect(fieldOf(schema)).toMatchObject({
				description: "Inner.",
				expects: "words",
				declaredSecret: true,
			});
		}
	});

	test("the outermost description is the one that counts", () => {
		expect(fieldOf(z.string().describe("Inner.").optional().describe("Outer.")).description).toBe(
			"Outer.",
		);
	});

	test("a variable is required unless it is optional or has a default", () => {
		expect(fieldOf(z.string()).required).toBe(true);
		expect(fieldOf(z.string().optional()).required).toBe(false);
		expect(fieldOf(z.string().default("x"))).toMatchObject({
			required: false,
			fallback: { value: "x" },
		});
	});
});

describe("isDatabaseUrl", () => {
	test.each([
		"postgres://localhost/tapeline",
		"postgresql://user:p%40ss@db.example:5433/tapeline?sslmode=require",
		"postgres:///tapeline?host=/var/run/postgresql",
		"postgres://user@localhost/tapeline?sslrootcert=/no/such/file&sslmode=verify-full",
	])("%s is accepted", (text) => {
		expect(isDatabaseUrl(text)).toBe(true);
	});

	test.each([
		"",
		"localhost",
		"mysql://localhost/tapeline",
		"postgres://user:pass#word@localhost:5432/tapeline",
		"postgres://localhost:port/tapeline",
	])("%p is refused before a connection is opened", (text) => {
		expect(isDatabaseUrl(text)).toBe(false);
	});
});

describe("jsonText", () => {
	const numbers = jsonText(z.record(z.string(), z.number()));

	test("JSON of the right shape is accepted", () => {
		expect(numbers.parse('{"a":1}')).toEqual({ a: 1 });
	});

	test("invalid JSON is refused without quoting it, because it may hold a secret", () => {
		const message = numbers.safeParse('{"a": s3cret').error?.message ?? "";
		expect(message).toContain("this is not JSON");
		expect(message).not.toContain("s3cret");
	});

	test("a key named like a member of Object.prototype has no effect", () => {
		numbers.safeParse('{"__proto__":{"polluted":1}}');
		expect(({} as { polluted?: number }).polluted).toBeUndefined();
	});
});

describe("readBoolean", () => {
	test("six spellings are accepted, in any case, and no others", () => {
		for (const text of ["true", "1", "yes", "TRUE", " Yes "]) expect(readBoolean(text)).toBe(true);
		for (const text of ["false", "0", "no", "False"]) expect(readBoolean(text)).toBe(false);
		for (const text of ["", "on", "off", "y", "n", "2", "-0", "truee", "null", "__proto__"]) {
			expect(readBoolean(text)).toBeUndefined();
		}
	});
});

describe("readNumber", () => {
	test("only plain decimals are accepted", () => {
		expect(readNumber("0")).toBe(0);
		expect(readNumber(" 42 ")).toBe(42);
		expect(readNumber("-1.25")).toBe(-1.25);
		for (const text of [
			"",
			" ",
			"0x10",
			"1e3",
			"1_000",
			"1,5",
			".5",
			"5.",
			"007",
			"+1",
			"NaN",
			"１",
		]) {
			expect(readNumber(text)).toBeUndefined();
		}
	});
});

describe("rpcUrls", () => {
	test("a single endpoint is accepted", () => {
		expect(rpcUrls.parse("http://127.0.0.1:8545")).toEqual(["http://127.0.0.1:8545"]);
		expect(rpcUrls.parse(["https://a.example/v2/key", "wss://b.example"])).toHaveLength(2);
	});

	test("a value that is no endpoint, an empty list and more than eight endpoints are refused", () => {
		for (const value of [
			"file:///etc/passwd",
			"//a.example",
			"https://",
			"https://a b",
			"",
			[],
			null,
			Array(9).fill("https://a.example"),
		]) {
			expect({ value, ok: rpcUrls.safeParse(value).success }).toEqual({ value, ok: false });
		}
	});
});
