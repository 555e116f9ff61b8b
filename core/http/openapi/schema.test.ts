import { describe, expect, test } from "bun:test";
import { z } from "zod";
import {
	createComponents,
	exampleOf,
	field,
	mergeNull,
	OPTIONAL_MEMBER,
} from "#core/http/openapi/schema.ts";

describe("createComponents", () => {
	const page = z.object({ hasMore: field.flag("Whether.") }).meta({ id: "Page" });

	test("parts with an id are defined once, and referred to wherever they are used", () => {
		const components = createComponents();
		const list = z.object({ page, last: page.nullable() }).meta({ id: "List" });
		expect(components.describe(list)).toEqual({ $ref: "#/components/schemas/List" });
		expect(components.describe(page)).toEqual({ $ref: "#/components/schemas/Page" });
		const schemas = components.schemas();
		expect(Object.keys(schemas)).toEqual(["List", "Page"]);
		expect(schemas["List"]).toMatchObject({
			properties: {
				page: { $ref: "#/components/schemas/Page" },
				last: { anyOf: [{ $ref: "#/components/schemas/Page" }, { type: "null" }] },
			},
		});
	});

	test("two different schemas with one name fail an assertion", () => {
		const components = createComponents();
		components.describe(page);
		const other = z.object({ more: z.boolean() }).meta({ id: "Page" });
		expect(() => components.describe(other)).toThrow("two schemas of the API are named Page");
	});

	test("integers, times and addresses are described as such", () => {
		const schema = z.object({
			count: field.integer("How many.", 3).nullable(),
			at: field.time("When."),
			owner: field.address("Whose."),
			units: field.digits("Units.", "3"),
			decimals: z.literal(18),
		});
		expect(createComponents().describe(schema)).toMatchObject({
			properties: {
				count: { type: ["integer", "null"], description: "How many.", examples: [3] },
				at: { type: "string", format: "date-time" },
				owner: { type: "string", pattern: "^0x[0-9a-f]{40}$" },
				units: { type: "string", pattern: "^(0|[1-9][0-9]*)$" },
				decimals: { type: "integer", const: 18 },
			},
		});
	});

	test("a part's default is said in words, as its example, and its member may be left out", () => {
		const components = createComponents();
		const kinds = z.enum(["a", "b"]).default("a").meta({ description: "Which." });
		components.describe(z.object({ kinds, count: z.int().default(1) }).meta({ id: "Wish" }));
		expect(components.schemas()["Wish"]).toMatchObject({
			properties: {
				kinds: { description: "Which. Unless given: `a`.", examples: ["a"] },
				count: { description: "Unless given: `1`.", examples: [1] },
			},
		});
		expect(JSON.stringify(components.schemas())).not.toMatch(/"default"|"required"/);
	});

	test("an optional body is marked with a member of our own, because JSON Schema has none", () => {
		const components = createComponents();
		expect(components.describe(page.optional())).toHaveProperty(OPTIONAL_MEMBER, true);
		expect(components.describe(page)).not.toHaveProperty(OPTIONAL_MEMBER);
	});
});

describe("exampleOf", () => {
	const text = (example: string) => ({ type: "string", examples: [example] });
	const object = (properties: object, required = Object.keys(properties)) => ({
		type: "object",
		properties,
		required,
	});

	test("an example is put together from the examples of its parts", () => {
		const schemas = { Row: object({ slug: text("tidal-cats"), sold: { type: "boolean" } }) };
		const list = {
			type: "object",
			required: ["data", "tiles", "mode", "only", "limit"],
			properties: {
				data: { type: "array", items: { $ref: "#/components/schemas/Row" } },
				tiles: { type: "array", minItems: 2, items: text("a") },
				mode: { type: "string", enum: ["top", "new"] },
				only: { const: "1" },
				limit: { type: "integer", default: 50 },
			},
		};
		expect(exampleOf(list, schemas)).toEqual({
			data: [{ slug: "tidal-cats", sold: true }],
			tiles: ["a", "a"],
			mode: "top",
			only: "1",
			limit: 50,
		});
	});

	test("the first case of a union that is not null is its example", () => {
		const union = { anyOf: [{ type: "null" }, text("b"), text("c")] };
		expect(exampleOf(union, {})).toBe("b");
	});

	test("an object with a required part without an example has no example", () => {
		const bare = { type: "string" };
		expect(exampleOf(object({ a: text("x"), b: bare }), {})).toBeUndefined();
		expect(exampleOf(object({ a: text("x"), b: bare }, ["a"]), {})).toEqual({ a: "x" });
	});

	test("a constant that only a special case has is left out of the example", () => {
		const frame = object({ id: text("1"), retracted: { const: true } }, ["id"]);
		expect(exampleOf(frame, {})).toEqual({ id: "1" });
	});

	test("a schema that contains itself does not recurse without end", () => {
		const schemas = { Node: object({ next: { $ref: "#/components/schemas/Node" } }) };
		expect(exampleOf({ $ref: "#/components/schemas/Node" }, schemas)).toBeUndefined();
	});
});

describe("mergeNull", () => {
	const NULL = { type: "null" };

	test("a type or null becomes one schema with two types, and the union's description is kept", () => {
		const part = { type: "string", format: "date-time", description: "A time." };
		expect(mergeNull({ anyOf: [part, NULL], description: "When, or null." })).toEqual({
			type: ["string", "null"],
			format: "date-time",
			description: "When, or null.",
		});
		expect(mergeNull({ anyOf: [NULL, part] })).toEqual({ ...part, type: ["string", "null"] });
	});

	test("null becomes a value of the enumeration", () => {
		expect(mergeNull({ anyOf: [{ type: "string", enum: ["a"] }, NULL] })).toEqual({
			type: ["string", "null"],
			enum: ["a", null],
		});
		expect(mergeNull({ anyOf: [{ type: "boolean", const: true }, NULL] })).toEqual({
			type: ["boolean", "null"],
			enum: [true, null],
		});
	});

	test("a schema that is not a type or null is unchanged", () => {
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
});
