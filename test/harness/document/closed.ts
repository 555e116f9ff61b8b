import { isRecord } from "#core/http/openapi/isRecord.ts";

/**
 * A copy of a document in which objects have no other members than their schemas name.
 *
 * The document itself allows more, as clients have to. A test does not: a member that is sent and
 * not described would have no meaning and no unit for whoever reads it. Problems may carry more,
 * and what is put together of several schemas stays as it is: each part names some members only.
 */
export function closed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(closed);
	if (!isRecord(value)) return value;
	const copy = Object.fromEntries(
		Object.entries(value).map(([key, part]) => [key, LEFT.has(key) ? part : closed(part)]),
	);
	const isObject = isRecord(copy["properties"]) && (copy["type"] ?? "object") === "object";
	return isObject && !("additionalProperties" in copy)
		? { ...copy, additionalProperties: false }
		: copy;
}

const LEFT = new Set(["allOf", "Problem", "example", "examples"]);
