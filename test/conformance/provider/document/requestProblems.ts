import type { FoundOperation } from "#test/conformance/provider/document/findOperation.ts";
import { problemsOf } from "#test/conformance/provider/document/problemsOf.ts";
import type { ApiDocument, Parameter } from "#test/conformance/provider/document/readDocument.ts";

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

type Given = { parameter: Parameter; given: string[]; template: string };

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
