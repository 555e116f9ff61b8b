import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { assert } from "#core/fault/assert.ts";
import { isRecord } from "#core/http/openapi/isRecord.ts";
import type { JsonSchema } from "#core/http/openapi/JsonSchema.ts";
import { mergeNull } from "#core/http/openapi/mergeNull.ts";

/** The named schemas of one document. */
export type Components = {
	/** What was named so far, in the order of the alphabet. */
	schemas(): Record<string, JsonSchema>;
	/** The JSON Schema of a zod schema. Parts with `.meta({ id })` are named, and referred to. */
	describe(schema: z.core.$ZodType): JsonSchema;
	/** Names a schema that is not zod's. */
	add(name: string, schema: JsonSchema): void;
};

/** Marks the schema of a body that may be left out, which JSON Schema has no word for. */
export const OPTIONAL_MEMBER = "x-optional";

const HOME = "#/components/schemas/";
/** What zod writes for a template literal of "0x" and any text. */
const ANY_HEX = "^0x[\\s\\S]{0,}$";

/**
 * Collects the named schemas of a document while its operations are described.
 *
 * Two schemas of one name that differ are our mistake: a client generated from the document would
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
		// zod leaves them out of what is transformed, as they might be of the result. Ours never are.
		const { examples } = z.globalRegistry.get(zodSchema) ?? {};
		if (Array.isArray(examples)) jsonSchema.examples = examples;
		// The page makes up an example from a pattern: one of a "0x…" that allows anything is noise.
		if (jsonSchema.pattern === ANY_HEX) jsonSchema.pattern = "^0x[0-9a-fA-F]*$";
		if (Number.isInteger(jsonSchema.const)) jsonSchema.type = "integer";
		// A whole number that is read from text: its pattern is of the text.
		if (jsonSchema.type === "integer") delete jsonSchema.pattern;
		if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
		if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
	},
};

/** With references that lead to the document's components, and `null` among the types. */
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
