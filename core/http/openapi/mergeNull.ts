import { isRecord } from "#core/http/openapi/isRecord.ts";
import type { JsonSchema } from "#core/http/openapi/JsonSchema.ts";

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
