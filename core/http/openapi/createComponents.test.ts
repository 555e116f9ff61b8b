import { expect, test } from "bun:test";
import { z } from "zod";
import { createComponents, OPTIONAL_MEMBER } from "#core/http/openapi/createComponents.ts";
import { field } from "#core/http/openapi/field.ts";

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

test("two different schemas of one name are a mistake of ours", () => {
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
