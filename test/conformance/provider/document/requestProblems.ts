// Compares requests and answers with the provider's published document.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export type FoundOperation = {
	/** Such as `GET /api/v2/collections/{slug}`. */
	name: string;
	operation: Operation;
	/** Values of the path's parameters, decoded. */
	path: Record<string, string>;
};

export type Schema = {
	$ref?: string;
	type?: string;
	format?: string;
	required?: string[];
	properties?: Record<string, Schema>;
	items?: Schema;
	enum?: unknown[];
	allOf?: Schema[];
	oneOf?: Schema[];
	minimum?: number;
	maximum?: number;
	additionalProperties?: Schema | boolean;
};

export type Parameter = { name: string; in: string; required?: boolean; schema: Schema };

export type Operation = {
	parameters?: Parameter[];
	responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

export type ApiDocument = {
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, Schema> };
};

type Checked = { schema: Schema; value: unknown; at: string };

type Given = { parameter: Parameter; given: string[]; template: string };

const ROOT = join(import.meta.dir, "../../../..");

/** Values that the document tells in words only. */
const IN_WORDS: Record<string, readonly string[]> = {
	"/api/v2/collections/trending timeframe": [
		"one_minute five_minutes fifteen_minutes one_hour one_day",
		"seven_days thirty_days one_year all_time",
	],
	"/api/v2/collections/top sort_by": [
		"one_day_volume seven_days_volume thirty_days_volume floor_price one_day_sales",
		"seven_days_sales thirty_days_sales total_volume total_sales",
	],
	"/api/v2/collections order_by": [
		"created_date one_day_change seven_day_volume seven_day_change num_owners market_cap",
	],
	"/api/v2/drops type": ["featured upcoming recently_minted"],
	"/api/v2/search asset_types": ["collection nft token account"],
};

/** The largest page where the document names it in words only. */
const LIMIT_MAX: Record<string, number> = {
	"/api/v2/collections/trending": 100,
	"/api/v2/collections/top": 100,
	"/api/v2/drops": 100,
	"/api/v2/search": 50,
	"/api/v2/collections/{slug}/holders": 100,
};

/** Says what of a request's query the document does not allow, a line each. */
export function requestProblems(
	document: ApiDocument,
	{ name, operation }: FoundOperation,
	query: URLSearchParams,
): string[] {
	const template = name.split(" ")[1] ?? "";
	const known = (operation.parameters ?? []).filter((one) => one.in === "query");
	const problems = [...new Set(query.keys())]
		.filter((key) => !known.some((one) => one.name === key))
		.map((key) => `${template} has no parameter ${key}`);
	for (const parameter of known) {
		const given = query.getAll(parameter.name);
		if (given.length === 0) {
			if (parameter.required) problems.push(`${template} needs ${parameter.name}`);
			continue;
		}
		problems.push(...problemsOfParameter(document, { parameter, given, template }));
	}
	return problems;
}

/** Finds what the document says about a request; null where it says nothing. */
export function findOperation(
	document: ApiDocument,
	{ method, pathname }: { method: string; pathname: string },
): FoundOperation | null {
	const asked = pathname.split("/");
	const found = Object.entries(document.paths).flatMap(([template, methods]) => {
		const operation = methods[method.toLowerCase()];
		const path = operation && match(template.split("/"), asked);
		return operation && path ? [{ name: `${method} ${template}`, operation, path }] : [];
	});
	// `/collections/trending` fits `/collections/{slug}` as well: the more exact one is meant.
	const fewestParameters = (a: FoundOperation, b: FoundOperation) =>
		Object.keys(a.path).length - Object.keys(b.path).length;
	return found.sort(fewestParameters)[0] ?? null;
}

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

/** Reads the API's published document out of the package that ships it. */
export function readDocument(): ApiDocument {
	const path = join(ROOT, "node_modules/@opensea/api-types/opensea-api.json");
	return JSON.parse(readFileSync(path, "utf8"));
}

function problemsOfParameter(document: ApiDocument, { parameter, given, template }: Given) {
	const { name, schema } = parameter;
	const at = `${template} ${name}`;
	const values = schema.type === "array" ? given.flatMap((one) => one.split(",")) : given;
	if (schema.type !== "array" && given.length > 1) return [`${at} is given ${given.length} times`];
	const words = IN_WORDS[at]?.flatMap((line) => line.split(" "));
	const problems: string[] = [];
	for (const text of values) {
		if (words && !words.includes(text)) problems.push(`${at} cannot be ${text}`);
		const value = readValue(schema.type === "array" ? schema.items?.type : schema.type, text);
		const of = schema.type === "array" ? (schema.items ?? {}) : schema;
		problems.push(...problemsOf(document, { schema: of, value, at }));
		const max = name === "limit" ? LIMIT_MAX[template] : undefined;
		if (max !== undefined && Number(text) > max) problems.push(`${at} is above ${max}`);
	}
	return problems;
}

/** A query's text as the value that it stands for. */
function readValue(type: string | undefined, text: string): unknown {
	if (type === "integer" || type === "number") return /^-?\d+$/.test(text) ? Number(text) : text;
	if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
	return text;
}

function match(template: string[], asked: string[]): Record<string, string> | null {
	if (template.length !== asked.length) return null;
	const path: Record<string, string> = {};
	for (const [at, part] of template.entries()) {
		const given = asked[at] ?? "";
		const name = /^\{(.+)\}$/.exec(part)?.[1];
		if (name === undefined ? part !== given : given === "") return null;
		if (name !== undefined) path[name] = decodeURIComponent(given);
	}
	return path;
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

/** The fewest problems that any of the variants leaves. */
function problemsOfOne(document: ApiDocument, { schema, value, at }: Checked): string[] {
	const all = (schema.oneOf ?? []).map((one) => problemsOf(document, { schema: one, value, at }));
	return all.sort((a, b) => a.length - b.length)[0] ?? [];
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
