import { z } from "zod";
import { flatIssues } from "#core/http/flatIssues.ts";
import { issueWords } from "#core/http/issueWords.ts";
import { meantName } from "#core/http/meantName.ts";
import type { ProblemIssue } from "#core/http/Problem.ts";

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

function notKnown(name: string, names: { missing: string[]; known: string[] }): string {
	const { missing, known } = names;
	if (known.length === 0) return "is not known: this route takes no query parameters";
	const meant = meantName(name, missing);
	if (meant !== undefined) return `is not a known parameter; did you mean ${meant}?`;
	return `is not a known parameter; known here: ${known.join(", ")}`;
}
