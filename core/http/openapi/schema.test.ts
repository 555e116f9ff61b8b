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

	test("parts with an id are named once, and referred to wherever they are used", () => {
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

	test("two different schemas of one name are refused as our mistake", () => {
		const components = createComponents();
		components.describe(page);
		const other = z.object({ more: z.boolean() }).meta({ id: "Page" });
		expect(() => components.describe(other)).toThrow("two schemas of the API are named Page");
	});

	test("members are shown as the integers, times and addresses that they are", () => {
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

	test("a body that may be left out is marked, which JSON Schema has no word for", () => {
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

	test("an example is put together from those of the parts", () => {
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

	test("a part without an example leaves the whole without one, unless it may be missing", () => {
		const bare = { type: "string" };
		expect(exampleOf(object({ a: text("x"), b: bare }), {})).toBeUndefined();
		expect(exampleOf(object({ a: text("x"), b: bare }, ["a"]), {})).toEqual({ a: "x" });
	});

	test("a mark that is there in a special case alone is not shown", () => {
		const frame = object({ id: text("1"), retracted: { const: true } }, ["id"]);
		expect(exampleOf(frame, {})).toEqual({ id: "1" });
	});

	test("a schema that holds itself ends", () => {
		const schemas = { Node: object({ next: { $ref: "#/components/schemas/Node" } }) };
		expect(exampleOf({ $ref: "#/components/schemas/Node" }, schemas)).toBeUndefined();
	});
});

describe("mergeNull", () => {
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

	test("a schema that is not a type or null stays as it is", () => {
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
