import { isRecord } from "#core/http/openapi/isRecord.ts";

/**
 * Returns a copy of a document in which objects have only the members that their schemas name.
 *
 * The document itself allows more, as clients must. A test does not: a member that is sent but not
 * described would have no meaning and no unit for its reader. Problems may have more members, and a
 * combination of several schemas stays open: each part names some members only.
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
