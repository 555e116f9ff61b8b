import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { assert } from "#core/fault/assert.ts";
import { isRecord } from "#core/http/openapi/isRecord.ts";
import type { JsonSchema } from "#core/http/openapi/JsonSchema.ts";
import { mergeNull } from "#core/http/openapi/mergeNull.ts";

/** The named schemas of one document. */
export type Components = {
	/** Returns the named schemas so far, in alphabetical order. */
	schemas(): Record<string, JsonSchema>;
	/**
	 * Returns the JSON Schema of a zod schema. Parts with `.meta({ id })` become named references.
	 */
	describe(schema: z.core.$ZodType): JsonSchema;
	/** Adds a named schema that is not zod's. */
	add(name: string, schema: JsonSchema): void;
};

/** Marks the schema of an optional body, which JSON Schema cannot express. */
export const OPTIONAL_MEMBER = "x-optional";

const HOME = "#/components/schemas/";
/** What zod writes for a template literal of "0x" and any text. */
const ANY_HEX = "^0x[\\s\\S]{0,}$";

/**
 * Makes a collector of the named schemas of a document.
 *
 * Two different schemas of one name are our mistake: a client generated from the document would
 * have the type of one of them for both.
 */
export function createComponents(): Components {
	const named = new Map<string, JsonSchema>();
	function add(name: string, schema: JsonSchema): void {
		const known = named.get(name);
		assert(
			known === undefined || isDeepStrictEqual(known, schema),
			`two schemas of the API are named ${name}`,
		);
		named.set(name, schema);
	}
	return {
		add,
		schemas: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
		describe(schema) {
			const { $schema: _, $defs: parts = {}, ...root } = z.toJSONSchema(schema, OPTIONS);
			for (const [name, part] of Object.entries(parts)) add(name, relocated(part));
			const isOptional = schema instanceof z.core.$ZodOptional;
			return { ...relocated(root), ...(isOptional && { [OPTIONAL_MEMBER]: true }) };
		},
	};
}

const OPTIONS: Parameters<typeof z.toJSONSchema>[1] = {
	io: "input",
	unrepresentable: "any",
	override({ zodSchema, jsonSchema }) {
		// zod omits examples of transformed schemas, because they might belong to the result. Ours
		// never do.
		const { examples } = z.globalRegistry.get(zodSchema) ?? {};
		if (Array.isArray(examples)) jsonSchema.examples = examples;
		// The page generates an example from a pattern; for a "0x…" that allows anything it would be
		// noise.
		if (jsonSchema.pattern === ANY_HEX) jsonSchema.pattern = "^0x[0-9a-fA-F]*$";
		if (Number.isInteger(jsonSchema.const)) jsonSchema.type = "integer";
		// A whole number that is read from text: the pattern is about the text.
		if (jsonSchema.type === "integer") delete jsonSchema.pattern;
		if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
		if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
	},
};

/** Points references to the document's components, and merges `null` into the types. */
function relocated(schema: object): JsonSchema {
	const text = JSON.stringify(schema, (_key, value: unknown) =>
		isRecord(value) ? mergeNull(pointed(value)) : value,
	);
	return JSON.parse(text);
}

function pointed(schema: JsonSchema): JsonSchema {
	const { $ref: to } = schema;
	if (typeof to !== "string") return schema;
	return { ...schema, $ref: to.replace("#/$defs/", HOME) };
}
