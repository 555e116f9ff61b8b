import { expect, test } from "bun:test";
import { mergeNull } from "#core/http/openapi/mergeNull.ts";

const NULL = { type: "null" };

test("a type or null is one schema with two types, and the union's own words win", () => {
	const part = { type: "string", format: "date-time", description: "A time." };
	expect(mergeNull({ anyOf: [part, NULL], description: "When, or null." })).toEqual({
		type: ["string", "null"],
		format: "date-time",
		description: "When, or null.",
	});
	expect(mergeNull({ anyOf: [NULL, part] })).toEqual({ ...part, type: ["string", "null"] });
});

test("null is among the values of an enumeration", () => {
	expect(mergeNull({ anyOf: [{ type: "string", enum: ["a"] }, NULL] })).toEqual({
		type: ["string", "null"],
		enum: ["a", null],
	});
	expect(mergeNull({ anyOf: [{ type: "boolean", const: true }, NULL] })).toEqual({
		type: ["boolean", "null"],
		enum: [true, null],
	});
});

test("what is no type or null stays as it is", () => {
	for (const schema of [
		{ type: "string" },
		{ anyOf: [{ $ref: "#/components/schemas/A" }, NULL] },
		{ anyOf: [{ type: "string" }, { type: "number" }] },
		{ anyOf: [{ type: "string" }, { type: "number" }, NULL] },
		{ anyOf: "nonsense" },
	]) {
		expect(mergeNull(schema)).toEqual(schema);
	}
});
