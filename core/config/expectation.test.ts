import { expect, test } from "bun:test";
import { z } from "zod";
import { expectation } from "#core/config/expectation.ts";
import { fieldOf } from "#core/config/fieldOf.ts";

test("each kind of variable is put into words", () => {
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
