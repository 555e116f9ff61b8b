import { expect, test } from "bun:test";
import { exampleOf } from "#core/http/openapi/exampleOf.ts";

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

test("of a union the first case that is not null is shown", () => {
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
