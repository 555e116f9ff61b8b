import { isRecord } from "#core/http/openapi/isRecord.ts";
import type { JsonSchema } from "#core/http/openapi/JsonSchema.ts";

/** Deeper than any answer; a recursive schema ends here. */
const DEPTH_MAX = 12;

/**
 * Returns an example of a schema, built from the examples of its parts; undefined where a part has
 * none. So an answer's example always agrees with the descriptions of its members.
 */
export function exampleOf(
	schema: unknown,
	schemas: Readonly<Record<string, JsonSchema>>,
	depth = 0,
): unknown {
	if (!isRecord(schema) || depth > DEPTH_MAX) return undefined;
	const told = toldBy(schema);
	if (told !== undefined) return told;
	if (typeof schema.$ref === "string") {
		return exampleOf(schemas[schema.$ref.split("/").at(-1) ?? ""], schemas, depth + 1);
	}
	const [first] = partsOf(schema);
	if (first !== undefined) return exampleOf(first, schemas, depth + 1);
	const [type] = [schema.type].flat();
	if (type === "object") return objectOf(schema, schemas, depth);
	if (type === "array") return listOf(schema, schemas, depth);
	return type === "boolean" ? true : undefined;
}

/** Returns the schema's own example, or its only allowed value. */
function toldBy({ examples, const: only, enum: some, default: usual }: JsonSchema): unknown {
	if (Array.isArray(examples) && examples.length > 0) return examples[0];
	if (only !== undefined) return only;
	if (usual !== undefined) return usual;
	return Array.isArray(some) ? some[0] : undefined;
}

/** Returns the cases of a union without null. */
function partsOf({ anyOf, oneOf }: JsonSchema): unknown[] {
	const parts = [anyOf, oneOf].find((one) => Array.isArray(one)) ?? [];
	return Array.isArray(parts)
		? parts.filter((part) => !(isRecord(part) && part.type === "null"))
		: [];
}

type Schemas = Readonly<Record<string, JsonSchema>>;

function objectOf(schema: JsonSchema, schemas: Schemas, depth: number): unknown {
	const members = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
	const required = Array.isArray(schema.required) ? schema.required : [];
	const made = members
		// A marker that exists only in a special case would make the example one of that case.
		.filter(([name, part]) => required.includes(name) || !isRecord(part) || !("const" in part))
		.map(([name, part]) => [name, exampleOf(part, schemas, depth + 1)] as const)
		.filter(([, value]) => value !== undefined);
	// An incomplete example would not fit its own schema.
	const isWhole = required.every((name) => made.some(([one]) => one === name));
	return isWhole ? Object.fromEntries(made) : undefined;
}

/** Returns a list with one element, or as many as required. */
function listOf(schema: JsonSchema, schemas: Schemas, depth: number): unknown {
	const one = exampleOf(schema.items, schemas, depth + 1);
	if (one === undefined) return [];
	const count = typeof schema.minItems === "number" ? Math.max(1, schema.minItems) : 1;
	return Array.from({ length: count }, () => one);
}
