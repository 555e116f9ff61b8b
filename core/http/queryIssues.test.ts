import { expect, test } from "bun:test";
import { z } from "zod";
import { queryIssues } from "#core/http/queryIssues.ts";
import { readQuery } from "#core/http/readQuery.ts";

const schema = z.strictObject({
	chain: z.string().optional(),
	limit: z.string().regex(/^\d$/, "must be a digit").default("5"),
	q: z.string(),
});
const issuesOf = (text: string, of: z.ZodType = schema) => queryIssues(of, readQuery(text));

test("a query without a flaw has no issue", () => {
	expect(issuesOf("q=a&chain=base")).toEqual([]);
	expect(issuesOf("", z.strictObject({}))).toEqual([]);
});

test("a parameter nobody knows is told first, with the one that was meant", () => {
	expect(issuesOf("chian=base&limit=x")).toEqual([
		{ path: "chian", message: "is not a known parameter; did you mean chain?" },
		{ path: "limit", message: "must be a digit" },
		{ path: "q", message: "must be given" },
	]);
	expect(issuesOf("query=cats")[0]?.message).toEndWith("did you mean q?");
});

test("where none is near, or the nearest is given, those that there are are told", () => {
	const message = "is not a known parameter; known here: chain, limit, q";
	expect(issuesOf("q=a&foo=1")).toEqual([{ path: "foo", message }]);
	expect(issuesOf("q=a&chain=base&chian=x")).toEqual([{ path: "chian", message }]);
	expect(issuesOf("q=a&=x")).toEqual([{ path: "", message }]);
	expect(issuesOf("q=a&__proto__=x")).toEqual([{ path: "__proto__", message }]);
	expect(issuesOf("a=1", z.strictObject({}))).toEqual([
		{ path: "a", message: "is not known: this route takes no query parameters" },
	]);
});

test("a parameter that is given twice is told as that, also with one value", () => {
	const message = "is given more than once";
	expect(issuesOf("q=a&q=a")).toEqual([{ path: "q", message }]);
	expect(issuesOf("q=a&limit=1&limit=2&chain=x&chain=y")).toEqual([
		{ path: "chain", message },
		{ path: "limit", message },
	]);
});

test("thousands of names make a short answer", () => {
	const many = Array.from({ length: 5_000 }, (_, index) => `x${index}=1`).join("&");
	expect(issuesOf(`q=a&${many}`)).toHaveLength(16);
});
