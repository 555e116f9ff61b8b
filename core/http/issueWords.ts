import type { z } from "zod";

/** Plain words for types. */
const TYPES: ReadonlyMap<string, string> = new Map([
	["string", "text"],
	["number", "a number"],
	["int", "a whole number"],
	["bigint", "a whole number"],
	["boolean", "true or false"],
	["object", "an object"],
	["record", "an object"],
	["array", "a list"],
	["null", "null"],
]);
const FORMATS: ReadonlyMap<string, string> = new Map([
	["uuid", "a UUID"],
	["email", "an e-mail address"],
	["url", "a URL"],
	["datetime", "a time such as 2030-01-31T12:00:00Z"],
	["date", "a date such as 2030-01-31"],
]);
const COUNTED: ReadonlyMap<string, string> = new Map([
	["string", "character"],
	["array", "item"],
	["set", "item"],
	["map", "entry"],
]);

/**
 * Returns what is wrong with a value, in words that need no knowledge of the schema library; they
 * follow the value's name. A message of the schema itself takes precedence.
 */
export function issueWords(issue: z.core.$ZodRawIssue): string {
	switch (issue.code) {
		case "invalid_type":
			if (issue.input === undefined) return "must be given";
			return `must be ${TYPES.get(String(issue.expected)) ?? "of another type"}`;
		case "invalid_value":
			return issue.input === undefined ? "must be given" : `must be ${oneOf(issue.values ?? [])}`;
		case "too_small":
			return extent(issue, { limit: issue.minimum, open: "more than", closed: "at least" });
		case "too_big":
			return extent(issue, { limit: issue.maximum, open: "less than", closed: "at most" });
		case "not_multiple_of":
			return `must be a multiple of ${issue.divisor}`;
		case "unrecognized_keys":
			return "is not a known member";
		case "invalid_union":
			return issue.input === undefined ? "must be given" : "is none of what is known here";
		case "invalid_format": {
			const form = FORMATS.get(String(issue.format));
			return form ? `must be ${form}` : "does not have the right form";
		}
		default:
			return "is not valid";
	}
}

function oneOf(values: readonly unknown[]): string {
	const [only, another] = values;
	return another === undefined ? String(only) : `one of ${values.join(", ")}`;
}

function extent(
	{ origin, inclusive, exact }: z.core.$ZodRawIssue,
	words: { limit: unknown; open: string; closed: string },
): string {
	const { limit, open, closed } = words;
	const thing = COUNTED.get(String(origin));
	if (thing && Number(limit) === 1 && closed === "at least") return "must not be empty";
	const bound = exact === true ? "exactly" : inclusive === false ? open : closed;
	if (!thing) return `must be ${bound} ${limit}`;
	return `must have ${bound} ${limit} ${Number(limit) === 1 ? thing : plural(thing)}`;
}

function plural(thing: string): string {
	return thing === "entry" ? "entries" : `${thing}s`;
}
