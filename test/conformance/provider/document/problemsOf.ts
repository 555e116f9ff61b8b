import type { ApiDocument, Schema } from "#test/conformance/provider/document/readDocument.ts";

type Checked = { schema: Schema; value: unknown; at: string };

/**
 * Says where a value is not what the document's schema describes, a line each.
 *
 * A member that the schema does not name is a problem too: what the document does not promise, a
 * client that was written from it may not count on.
 */
export function problemsOf(document: ApiDocument, { schema, value, at }: Checked): string[] {
	const resolved = resolve(document, schema);
	if (resolved.oneOf) return problemsOfOne(document, { schema: resolved, value, at });
	if (resolved.enum && !resolved.enum.includes(value)) return [`${at} is none of the values`];
	if (!hasType(resolved, value)) return [`${at} is no ${resolved.type}`];
	if (Array.isArray(value)) {
		const { items } = resolved;
		if (!items) return [];
		return value.flatMap((one, index) =>
			problemsOf(document, { schema: items, value: one, at: `${at}[${index}]` }),
		);
	}
	if (typeof value === "number")
		return outOfRange(resolved, value) ? [`${at} is out of range`] : [];
	if (typeof value !== "object" || value === null || !resolved.properties) return [];
	return problemsOfMembers(document, { schema: resolved, value, at });
}

function problemsOfMembers(document: ApiDocument, { schema, value, at }: Checked): string[] {
	const members = value as Record<string, unknown>;
	const problems: string[] = [];
	for (const name of schema.required ?? []) {
		if (members[name] === undefined) problems.push(`${at}.${name} is missing`);
	}
	for (const [name, member] of Object.entries(members)) {
		const known = schema.properties?.[name];
		if (!known) problems.push(`${at}.${name} is not in the document`);
		else
			problems.push(...problemsOf(document, { schema: known, value: member, at: `${at}.${name}` }));
	}
	return problems;
}

/** The fewest problems that any of the variants leaves. */
function problemsOfOne(document: ApiDocument, { schema, value, at }: Checked): string[] {
	const all = (schema.oneOf ?? []).map((one) => problemsOf(document, { schema: one, value, at }));
	return all.sort((a, b) => a.length - b.length)[0] ?? [];
}

/** A schema with its references followed and its parts put together. */
function resolve(document: ApiDocument, schema: Schema): Schema {
	if (schema.$ref) {
		const name = schema.$ref.split("/").at(-1) ?? "";
		const named = document.components.schemas[name];
		if (!named) throw new Error(`the document has no ${schema.$ref}`);
		return resolve(document, named);
	}
	if (!schema.allOf) return schema;
	const parts = [...schema.allOf.map((part) => resolve(document, part))];
	return {
		...schema,
		properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})),
		required: [...(schema.required ?? []), ...parts.flatMap((part) => part.required ?? [])],
	};
}

function hasType({ type }: Schema, value: unknown): boolean {
	switch (type) {
		case "string":
			return typeof value === "string";
		case "boolean":
			return typeof value === "boolean";
		case "integer":
			return Number.isInteger(value);
		case "number":
			return typeof value === "number";
		case "array":
			return Array.isArray(value);
		case "object":
			return typeof value === "object" && value !== null && !Array.isArray(value);
		default:
			return true;
	}
}

function outOfRange({ minimum, maximum }: Schema, value: number): boolean {
	return (minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum);
}
