import { createRequire } from "node:module";
import { z } from "zod";

const Schema = z.record(z.string(), z.any());
const Document = z.object({
	paths: z.record(z.string(), z.record(z.string(), z.any())),
	components: z.object({ schemas: z.record(z.string(), Schema) }),
});
type Schema = z.infer<typeof Schema>;

const require = createRequire(import.meta.url);
const document = Document.parse(require("@opensea/api-types/opensea-api.json"));

/**
 * Returns what the provider's own OpenAPI document does not allow in an answer: missing members, or
 * wrong types. `path` is as the document writes it.
 */
export function documentMistakes(call: { method: "get" | "post"; path: string }, answer: unknown) {
	const operation = document.paths[`/api/v2${call.path}`]?.[call.method];
	const response = operation?.responses["200"] ?? operation?.responses["201"];
	if (!response) return [`the document has no ${call.method} ${call.path}`];
	const [content] = Object.values(z.record(z.string(), z.any()).parse(response.content));
	if (!content?.schema) return [];
	return mistakes(content.schema, answer, call.path);
}

function mistakes(schema: Schema, value: unknown, at: string): string[] {
	const name = schema["$ref"]?.split("/").at(-1);
	if (name) return mistakes(document.components.schemas[name] ?? {}, value, at);
	if (schema["oneOf"]) {
		const tries = schema["oneOf"].map((one: Schema) => mistakes(one, value, at));
		return tries.some((found: string[]) => found.length === 0) ? [] : (tries[0] ?? []);
	}
	const own = schema["allOf"]
		? schema["allOf"].flatMap((one: Schema) => mistakes(one, value, at))
		: [];
	return [...own, ...shapeMistakes(schema, value, at)];
}

function shapeMistakes(schema: Schema, value: unknown, at: string): string[] {
	const isObject = schema["properties"] || schema["required"];
	if (schema["type"] === "array") {
		if (!Array.isArray(value)) return [`${at} is no array`];
		return value.flatMap((item, n) => mistakes(schema["items"], item, `${at}[${n}]`));
	}
	if (isObject) {
		if (typeof value !== "object" || value === null) return [`${at} is no object`];
		const entries = new Map(Object.entries(value));
		const required: string[] = schema["required"] ?? [];
		const missing = required.filter((key) => entries.get(key) == null);
		const inner = Object.entries<Schema>(schema["properties"] ?? {}).flatMap(([key, one]) =>
			entries.get(key) == null ? [] : mistakes(one, entries.get(key), `${at}.${key}`),
		);
		return [...missing.map((key) => `${at}.${key} is missing`), ...inner];
	}
	const type = schema["type"] === "integer" ? "number" : schema["type"];
	if (["string", "number", "boolean"].includes(type) && typeof value !== type) {
		return [`${at} is a ${typeof value}, not a ${type}`];
	}
	return [];
}
