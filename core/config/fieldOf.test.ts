import { expect, test } from "bun:test";
import { z } from "zod";
import { fieldOf } from "#core/config/fieldOf.ts";

test("description, words and secrecy are found under every wrapper", () => {
	const inner = z.string().meta({ expects: "words", secret: true }).describe("Inner.");
	for (const schema of [inner, inner.optional(), inner.default("x").readonly(), inner.nullable()]) {
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

test("a variable is required when nothing stands in for it", () => {
	expect(fieldOf(z.string()).required).toBe(true);
	expect(fieldOf(z.string().optional()).required).toBe(false);
	expect(fieldOf(z.string().default("x"))).toMatchObject({
		required: false,
		fallback: { value: "x" },
	});
});
