// Says in plain words what is wrong with a request, and what was probably meant.

import { z } from "zod";
import { editDistance } from "#core/editDistance.ts";

/** Holds one thing that is wrong with a request: where, and what. */
export type ProblemIssue = { path: string; message: string };

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

/** Limits the names for which a likely spelling is looked for. */
const NAME_LENGTH_MAX = 32;
/** Shorter words are the beginning of too many others. */
const STEM_LENGTH_MIN = 3;

/** Names of the same parameter in other APIs, normalised. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
	limit: ["count", "size", "pagesize", "perpage", "first", "take", "top", "max", "n"],
	cursor: ["next", "page", "pagetoken", "pagekey", "continuation", "nextcursor", "offset", "after"],
	chain: ["network", "blockchain", "chainslug", "chainname"],
	q: ["query", "search", "text", "term", "name", "s"],
	type: ["kind", "event", "eventtype", "types"],
	kind: ["type", "offertype"],
	interval: ["resolution", "timeframe", "granularity", "bucket", "period"],
	window: ["period", "timeframe", "interval", "range"],
	range: ["period", "timeframe", "window", "interval"],
	before: ["end", "until", "to"],
	mode: ["sort", "sortby", "orderby", "order"],
	tokenId: ["token", "id", "identifier"],
	state: ["status", "stage"],
};

/** The most unknown parameters that are listed; a query of 16 kB may hold thousands. */
const UNKNOWN_TOLD_MAX = 16;

/**
 * Returns what is wrong with a query, per parameter: unknown ones first, each with the one that was
 * probably meant. Empty where nothing is wrong.
 */
export function queryIssues(
	schema: z.core.$ZodType,
	query: Readonly<Record<string, unknown>>,
): ProblemIssue[] {
	const error = z.safeParse(schema, query, { error: issueWords }).error;
	if (!error) return [];
	const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
	const unknown = error.issues.flatMap((issue) => {
		return issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [];
	});
	// A parameter that was given correctly was not the misspelled one.
	const missing = known.filter((name) => !Object.hasOwn(query, name));
	const rest = error.issues.filter(({ code }) => code !== "unrecognized_keys");
	return [
		...unknown
			.slice(0, UNKNOWN_TOLD_MAX)
			.map((name) => ({ path: name, message: notKnown(name, { missing, known }) })),
		...flatIssues(rest).map((issue) => {
			const isRepeated = Array.isArray(query[issue.path]);
			return isRepeated ? { ...issue, message: "is given more than once" } : issue;
		}),
	];
}

/**
 * Returns the issues of a schema for a problem document: one per unknown member, and for a union
 * those of the nearest branch. Only paths and messages, never the value that was sent.
 */
export function flatIssues(issues: readonly z.core.$ZodIssue[]): ProblemIssue[] {
	return issues.flatMap((issue) => flat(issue, []));
}

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

/**
 * Returns the parameter that an unknown name probably means: another spelling, the name in other
 * APIs, a typing error, or its beginning. Undefined where none is similar.
 */
export function meantName(name: string, known: readonly string[]): string | undefined {
	const wanted = plain(name);
	if (wanted === "" || name.length > NAME_LENGTH_MAX) return undefined;
	return (
		known.find((one) => plain(one) === wanted) ??
		known.find((one) => ELSEWHERE[one]?.includes(wanted)) ??
		nearest(wanted, known) ??
		known.find((one) => haveOneStem(plain(one), wanted))
	);
}

function notKnown(name: string, names: { missing: string[]; known: string[] }): string {
	const { missing, known } = names;
	if (known.length === 0) return "is not known: this route takes no query parameters";
	const meant = meantName(name, missing);
	if (meant !== undefined) return `is not a known parameter; did you mean ${meant}?`;
	return `is not a known parameter; known here: ${known.join(", ")}`;
}

function flat(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): ProblemIssue[] {
	const path = [...above, ...issue.path];
	const { message } = issue;
	if (issue.code === "unrecognized_keys") {
		return issue.keys.map((key) => ({ path: dotted([...path, key]), message }));
	}
	if (issue.code !== "invalid_union") return [{ path: dotted(path), message }];
	const branches = issue.errors.map((branch) => branch.flatMap((one) => flat(one, path)));
	return chosen(branches) ?? [{ path: dotted(path), message }];
}

function dotted(path: readonly PropertyKey[]): string {
	return path.map(String).join(".");
}

/**
 * Returns the issues of the nearest branch; null if none is nearer and they do not fit one
 * sentence.
 */
function chosen(branches: readonly (readonly ProblemIssue[])[]): ProblemIssue[] | null {
	const [first = [], ...others] = branches;
	const isCommon = (issue: ProblemIssue) => others.every((branch) => holds(branch, issue));
	const common = first.filter(isCommon);
	const rests = branches.map((branch) => branch.filter((issue) => !holds(common, issue)));
	const fewest = Math.min(...rests.map(({ length }) => length));
	const near = rests.filter(({ length }) => length === fewest);
	const [nearest = []] = near;
	if (near.length <= 1 || fewest === 0) return [...nearest, ...common];
	const leads = near.flatMap((branch) => branch[0] ?? []);
	const [lead] = leads;
	if (leads.every(({ message }) => message === lead?.message)) {
		const names = [...new Set(leads.map(({ path }) => path))].join(" or ");
		return [{ path: "", message: `${names} ${lead?.message}` }, ...common];
	}
	if (!lead || leads.some(({ path }) => path !== lead.path)) return null;
	const words = [...new Set(leads.map(({ message }) => message))].join(", or ");
	return [{ path: lead.path, message: words }, ...common];
}

function holds(issues: readonly ProblemIssue[], { path, message }: ProblemIssue): boolean {
	return issues.some((one) => one.path === path && one.message === message);
}

function nearest(wanted: string, known: readonly string[]): string | undefined {
	let best: { name: string; distance: number } | undefined;
	for (const name of known) {
		const distance = editDistance(wanted, plain(name));
		if (distance <= slipsIn(name) && distance < (best?.distance ?? Infinity)) {
			best = { name, distance };
		}
	}
	return best?.name;
}

/** Normalises a name, so that `token_id`, `token-id` and `TokenId` are equal. */
function plain(name: string): string {
	return name.toLowerCase().replace(/[\s_.\-[\]]/g, "");
}

/**
 * Returns how many wrong letters are allowed. A name of one or two letters would match every other
 * one.
 */
function slipsIn({ length }: string): number {
	if (length <= 2) return 0;
	return length <= 5 ? 1 : 2;
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

function haveOneStem(one: string, other: string): boolean {
	const [short, long] = one.length < other.length ? [one, other] : [other, one];
	return short.length >= STEM_LENGTH_MIN && long.startsWith(short);
}
