import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { flatIssues, issueWords, meantName, queryIssues } from "#core/http/issues.ts";
import { readQuery } from "#core/http/requests.ts";

describe("issueWords", () => {
	function told(schema: z.ZodType, value: unknown): string[] {
		const { error } = schema.safeParse(value, { error: issueWords });
		return flatIssues(error?.issues ?? []).map(({ path, message }) => `${path}: ${message}`);
	}

	const hash = z.string().refine((text) => text.length === 66, "must be 32 bytes in hex");
	const answer = z.union([z.strictObject({ planHash: hash }), z.strictObject({ sent: hash })]);
	const cases: [name: string, schema: z.ZodType, value: unknown, told: string[]][] = [
		["a missing member", z.object({ q: z.string() }), {}, ["q: must be given"]],
		["a missing choice", z.object({ q: z.enum(["a", "b"]) }), {}, ["q: must be given"]],
		["nothing at all", z.object({ q: z.string() }), undefined, [": must be given"]],
		["another type", z.object({ q: z.array(z.string()) }), { q: 1 }, ["q: must be a list"]],
		["a fraction", z.object({ q: z.int() }), { q: 1.5 }, ["q: must be a whole number"]],
		[
			"one in a list",
			z.array(z.object({ q: z.boolean() })),
			[{ q: 1 }],
			["0.q: must be true or false"],
		],
		[
			"an empty list",
			z.object({ q: z.array(z.int()).min(1) }),
			{ q: [] },
			["q: must not be empty"],
		],
		["a long list", z.array(z.int()).max(1), [1, 2], [": must have at most 1 item"]],
		["a long text", z.string().max(2), "abc", [": must have at most 2 characters"]],
		["a short text", z.string().length(2), "a", [": must have exactly 2 characters"]],
		["a small number", z.int().min(3), 2, [": must be at least 3"]],
		["a number at an open end", z.number().lt(3), 3, [": must be less than 3"]],
		["no multiple", z.int().multipleOf(5), 4, [": must be a multiple of 5"]],
		["none of a few", z.enum(["a", "b"]), "c", [": must be one of a, b"]],
		["not the one", z.literal(true), false, [": must be true"]],
		["a form with a name", z.uuid(), "x", [": must be a UUID"]],
		["a form without one", z.string().regex(/a/), "x", [": does not have the right form"]],
		[
			"a form with words of its own",
			z.string().regex(/a/, "must have an a"),
			"x",
			[": must have an a"],
		],
		[
			"members that are not known",
			z.strictObject({ q: z.int().optional() }),
			{ foo: 1, bar: 2 },
			["foo: is not a known member", "bar: is not a known member"],
		],
		["no branch of a choice", answer, {}, [": planHash or sent must be given"]],
		[
			"no branch, and more than that",
			answer,
			{ x: 1 },
			[": planHash or sent must be given", "x: is not a known member"],
		],
		["the nearest branch", answer, { planHash: "0x1" }, ["planHash: must be 32 bytes in hex"]],
		[
			"no type of several",
			z.union([z.string(), z.number()]),
			true,
			[": must be text, or must be a number"],
		],
	];
	for (const [name, schema, value, expected] of cases) {
		test(`${name} is described in plain words, under its own name`, () => {
			expect(told(schema, value)).toEqual(expected);
		});
	}

	test("[SEC-04] a validation message is in our own words and never has the value", () => {
		const schema = z.strictObject({
			amount: z.string().max(4),
			recipients: z.array(z.uuid()).min(1),
			mode: z.enum(["a", "b"]).optional(),
			by: answer,
		});
		const anything = fc.oneof(
			fc.constant("c4n4ry"),
			fc.integer(),
			fc.constant(undefined),
			fc.array(fc.constant("c4n4ry"), { maxLength: 2 }),
			fc.record({ planHash: fc.constant("c4n4ry") }),
		);
		const body = fc.record(
			{ amount: anything, recipients: anything, mode: anything, by: anything },
			{ requiredKeys: [] },
		);
		fc.assert(
			fc.property(body, (value) => {
				const words = told(schema, value);
				expect(words.length > 0).toBe(!schema.safeParse(value).success);
				for (const one of words) {
					expect(one).not.toMatch(/c4n4ry|Invalid|expected|received|undefined|Too |>=|<=|pattern/);
				}
			}),
		);
	});
});

describe("meantName", () => {
	const known = ["chain", "type", "limit", "cursor", "tokenId", "q", "before"];

	const meant: [name: string, meant: string][] = [
		["chian", "chain"],
		["chan", "chain"],
		["Chain", "chain"],
		["chainId", "chain"],
		["chain_id", "chain"],
		["network", "chain"],
		["tpye", "type"],
		["typ", "type"],
		["lmit", "limit"],
		["limit[]", "limit"],
		["page_size", "limit"],
		["per_page", "limit"],
		["curser", "cursor"],
		["cur", "cursor"],
		["next", "cursor"],
		["continuation", "cursor"],
		["token_id", "tokenId"],
		["tokenID", "tokenId"],
		["query", "q"],
		["befor", "before"],
	];

	test("a misspelt name, another API's word and a beginning of a name are recognised", () => {
		for (const [name, one] of meant) expect([name, meantName(name, known)]).toEqual([name, one]);
	});

	test("a word that is similar to no known name gives no suggestion", () => {
		for (const name of [
			"",
			"x",
			"foo",
			"utm_source",
			"li",
			"__proto__",
			"constructor",
			"limitless!!",
		])
			expect([name, meantName(name, ["chain", "q"])]).toEqual([name, undefined]);
		expect(meantName("next", ["chain"])).toBeUndefined();
	});

	test("the suggested name is always a known one", () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 60 }), (name) => {
				const found = meantName(name, known);
				expect(found === undefined || known.includes(found)).toBe(true);
			}),
		);
	});
});

describe("queryIssues", () => {
	const schema = z.strictObject({
		chain: z.string().optional(),
		limit: z.string().regex(/^\d$/, "must be a digit").default("5"),
		q: z.string(),
	});
	const issuesOf = (text: string, of: z.ZodType = schema) => queryIssues(of, readQuery(text));

	test("a valid query has no issue", () => {
		expect(issuesOf("q=a&chain=base")).toEqual([]);
		expect(issuesOf("", z.strictObject({}))).toEqual([]);
	});

	test("an unknown parameter is reported first, with the similar known one", () => {
		expect(issuesOf("chian=base&limit=x")).toEqual([
			{ path: "chian", message: "is not a known parameter; did you mean chain?" },
			{ path: "limit", message: "must be a digit" },
			{ path: "q", message: "must be given" },
		]);
		expect(issuesOf("query=cats")[0]?.message).toEndWith("did you mean q?");
	});

	test("the known parameters are listed if none is similar, or if the similar one is already given", () => {
		const message = "is not a known parameter; known here: chain, limit, q";
		expect(issuesOf("q=a&foo=1")).toEqual([{ path: "foo", message }]);
		expect(issuesOf("q=a&chain=base&chian=x")).toEqual([{ path: "chian", message }]);
		expect(issuesOf("q=a&=x")).toEqual([{ path: "", message }]);
		expect(issuesOf("q=a&__proto__=x")).toEqual([{ path: "__proto__", message }]);
		expect(issuesOf("a=1", z.strictObject({}))).toEqual([
			{ path: "a", message: "is not known: this route takes no query parameters" },
		]);
	});

	test("a parameter that is given twice is reported as such, also with the same value twice", () => {
		const message = "is given more than once";
		expect(issuesOf("q=a&q=a")).toEqual([{ path: "q", message }]);
		expect(issuesOf("q=a&limit=1&limit=2&chain=x&chain=y")).toEqual([
			{ path: "chain", message },
			{ path: "limit", message },
		]);
	});

	test("thousands of unknown names give a short answer", () => {
		const many = Array.from({ length: 5_000 }, (_, index) => `x${index}=1`).join("&");
		expect(issuesOf(`q=a&${many}`)).toHaveLength(16);
	});
});
