// Makes JSON Schemas, documented fields and examples for the documents.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { assert, faultCatalogue } from "#core/fault.ts";

/** A JSON Schema as in the documents. Its values must be checked: authors may write any keyword. */
export type JsonSchema = { [keyword: string]: unknown };

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

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Marks the schema of an optional body, which JSON Schema cannot express. */
export const OPTIONAL_MEMBER = "x-optional";

/** Marks the schema of an intent's error code: its enum is filled in with the document. */
export const CODES_MEMBER = "x-codes-of-intents";

const HOME = "#/components/schemas/";
/** The pattern that zod writes for a template literal of "0x" and any text. */
const ANY_HEX = "^0x[\\s\\S]{0,}$";

const OPTIONS: Parameters<typeof z.toJSONSchema>[1] = {
	io: "input",
	unrepresentable: "any",
	override({ zodSchema, jsonSchema }) {
		// zod omits examples of transformed schemas, because they might belong to the result. Ours
		// never do.
		const { examples } = z.globalRegistry.get(zodSchema) ?? {};
		if (Array.isArray(examples)) jsonSchema.examples = examples;
		if (jsonSchema[CODES_MEMBER] === true) {
			delete jsonSchema[CODES_MEMBER];
			jsonSchema.enum = faultCatalogue.ofIntents();
		}
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

/** Deeper than any answer; a recursive schema ends here. */
const DEPTH_MAX = 16;

const TIME = "2026-03-01T12:00:00.000Z";
const ADDRESS = "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984";
const HASH = `0x${"5d".repeat(32)}`;
const ID = "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69";
const hex = z.templateLiteral(["0x", z.string()]);

/**
 * Members of answers, each with its documentation: meaning, unit, and an example.
 *
 * At run time they stay wide: a number is any number, an address any text after 0x. Narrower facts
 * (integer, format, pattern) are in the documents, and tests check real answers against them. An
 * answer that breaks one is our mistake, but no reason to answer 500.
 *
 * @example ownersCount: field.integer("Distinct owners.", 3_120).nullable()
 */
export const field = {
	text: (description: string, example: string) =>
		z.string().meta({ description, examples: [example] }),
	flag: (description: string) => z.boolean().meta({ description }),
	number: (description: string, example: number) =>
		z.number().meta({ description, examples: [example] }),
	integer: (description: string, example: number) =>
		z.number().meta({ type: "integer", description, examples: [example] }),
	/** A time as ISO 8601 in UTC with milliseconds. */
	time: (description: string) =>
		z.string().meta({ format: "date-time", description, examples: [TIME] }),
	/** An amount in the smallest unit of its currency, or a count that may exceed 2^53. */
	digits: (description: string, example: string) =>
		z.string().meta({ pattern: "^(0|[1-9][0-9]*)$", description, examples: [example] }),
	/** An amount in whole units of its currency, exact. */
	decimal: (description: string, example: string) =>
		z.string().meta({ pattern: "^[0-9]+(\\.[0-9]+)?$", description, examples: [example] }),
	address: (description: string) =>
		hex.meta({ pattern: "^0x[0-9a-f]{40}$", description, examples: [ADDRESS] }),
	hash: (description: string) =>
		hex.meta({ pattern: "^0x[0-9a-f]{64}$", description, examples: [HASH] }),
	/** The two above, for answers whose type is a plain string. */
	addressText: (description: string) =>
		z.string().meta({ pattern: "^0x[0-9a-f]{40}$", description, examples: [ADDRESS] }),
	hashText: (description: string) =>
		z.string().meta({ pattern: "^0x[0-9a-f]{64}$", description, examples: [HASH] }),
	id: (description: string) => z.string().meta({ format: "uuid", description, examples: [ID] }),
	url: (description: string, example = "https://example.com/cats/6529.png") =>
		z.string().meta({ format: "uri", description, examples: [example] }),
};

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
			for (const [name, part] of Object.entries(parts)) add(name, withoutDefaults(relocated(part)));
			const isOptional = schema instanceof z.core.$ZodOptional;
			return { ...relocated(root), ...(isOptional && { [OPTIONAL_MEMBER]: true }) };
		},
	};
}

/**
 * Writes "this type or null" as one schema with two types, where zod writes a union.
 *
 * Both mean the same, but generators make a plain type of the former, and tools show its format and
 * description. The union's own members take precedence over its part's.
 */
export function mergeNull(schema: JsonSchema): JsonSchema {
	const { anyOf, ...outer } = schema;
	if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
	const part: unknown = anyOf.find((one) => isRecord(one) && one.type !== "null");
	const hasNull = anyOf.some((one) => isRecord(one) && one.type === "null");
	if (!hasNull || !isRecord(part) || typeof part.type !== "string") return schema;
	const { const: only, enum: some, ...rest } = part;
	const values = Array.isArray(some) ? some : only === undefined ? undefined : [only];
	return {
		...rest,
		...outer,
		type: [part.type, "null"],
		...(values && { enum: [...values, null] }),
	};
}

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

/** Returns whether a value is an object with named members, and neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Says defaults of members in their descriptions. Only bodies of requests have any, where a member
 * with one may be left out; generators take `default` of a named schema for "always there", which
 * is right for answers alone.
 */
function withoutDefaults(schema: JsonSchema): JsonSchema {
	const { properties } = schema;
	if (!isRecord(properties)) return schema;
	const said = Object.entries(properties).map(([name, member]) => {
		if (!isRecord(member) || member.default === undefined) return [name, member];
		const { default: usual, description = "", ...rest } = member;
		const text = typeof usual === "string" ? usual : JSON.stringify(usual);
		const words = `${description} Unless given: \`${text}\`.`.trim();
		return [name, { examples: [usual], ...rest, description: words }];
	});
	return { ...schema, properties: Object.fromEntries(said) };
}

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
