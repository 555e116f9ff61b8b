import { ElysiaCustomStatusResponse, NotFoundError, ParseError, ValidationError } from "elysia";
import { z } from "zod";
import { databaseFaultOf } from "#core/db/databaseFaultOf.ts";
import { Fault } from "#core/fault/Fault.ts";
import { faultOfStatus } from "#core/http/faultOfStatus.ts";
import { flatIssues } from "#core/http/flatIssues.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { issueWords } from "#core/http/issueWords.ts";
import type { ProblemIssue } from "#core/http/Problem.ts";
import { queryIssues } from "#core/http/queryIssues.ts";

const ISSUES_MAX = 32;
const ISSUE_TEXT_LENGTH_MAX = 300;

/** Returns the Fault for any thrown value; an unexpected one is an `internal_error`. */
export function faultOf(error: unknown): Fault {
	if (error instanceof Fault) return error;
	if (error instanceof ValidationError) return faultOfValidation(error);
	if (error instanceof ParseError) return faultOfParsing(error);
	if (error instanceof NotFoundError) return httpFault.notFound();
	if (error instanceof ElysiaCustomStatusResponse) {
		const { code, response } = error;
		const told = typeof response === "string" && response.includes(" ") ? response : undefined;
		return faultOfStatus(code, told);
	}
	// Elysia's smaller errors (a cookie's signature, a file's type) have their own 4xx status.
	if (error instanceof Error && "code" in error && "status" in error) {
		const known = ELYSIA_CODES.has(error.code) && typeof error.status === "number";
		if (known) return faultOfStatus(Number(error.status));
	}
	return databaseFaultOf(error) ?? httpFault.internalError({ cause: error });
}

/**
 * Returns the Fault of a ParseError, which wraps any error of a `parse` hook. Such hooks also
 * authenticate, so only invalid JSON is the caller's mistake.
 */
function faultOfParsing(error: ParseError): Fault {
	const { cause } = error;
	return cause === undefined || cause instanceof SyntaxError
		? httpFault.malformedBody({ cause: error })
		: faultOf(cause);
}

const ELYSIA_CODES = new Set<unknown>(["INVALID_COOKIE_SIGNATURE", "INVALID_FILE_TYPE"]);

/**
 * Returns the Fault of a failed validation. An invalid answer is our mistake; the caller learns
 * only about their own input.
 */
function faultOfValidation(error: ValidationError): Fault {
	if (error.type === "response") return httpFault.internalError({ cause: error });
	const issues = issuesOf(error).slice(0, ISSUES_MAX).map(cut);
	const part = error.type === "params" ? "path" : error.type;
	const first = issues[0];
	const where = first?.path
		? `The ${part} is not valid (${first.path})`
		: `The ${part} is not valid`;
	return httpFault.validationError({
		public: first ? `${where}: ${first.message}` : `${where}.`,
		members: { issues },
	});
}

/** Returns the issues: for our schemas in our own words, for others in Elysia's. */
function issuesOf(error: ValidationError): ProblemIssue[] {
	const schema = schemaOf(error.validator);
	if (schema === null) return error.all.map(issueOf);
	if (error.type === "query" && isRecord(error.value)) return queryIssues(schema, error.value);
	const parsed = z.safeParse(schema, error.value, { error: issueWords });
	return flatIssues(parsed.error?.issues ?? []);
}

function schemaOf(validator: object): z.core.$ZodType | null {
	const inner: unknown = Reflect.get(validator, "schema");
	if (validator instanceof z.core.$ZodType) return validator;
	return inner instanceof z.core.$ZodType ? inner : null;
}

/** Takes only path and message: Elysia's issue also holds the value that was sent. */
function issueOf(issue: unknown): ProblemIssue {
	const path = field(issue, "path").replace(/^\//, "").replaceAll("/", ".");
	return { path: path === "root" ? "" : path, message: field(issue, "message") };
}

function cut({ path, message }: ProblemIssue): ProblemIssue {
	return {
		path: path.slice(0, ISSUE_TEXT_LENGTH_MAX).toWellFormed(),
		message: message.slice(0, ISSUE_TEXT_LENGTH_MAX).toWellFormed(),
	};
}

function field(value: unknown, name: string): string {
	const found = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
	return typeof found === "string" ? found : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
