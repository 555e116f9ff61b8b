// Defines the Faults of requests, and returns the Fault for any thrown value.

import { STATUS_CODES } from "node:http";
import { ElysiaCustomStatusResponse, NotFoundError, ParseError, ValidationError } from "elysia";
import { z } from "zod";
import { databaseFaultOf } from "#core/db/Database.ts";
import { defineFaults, Fault } from "#core/fault.ts";
import { flatIssues, issueWords, type ProblemIssue, queryIssues } from "#core/http/issues.ts";

/** Faults of requests before any plugin sees them, and faults of our own. */
export const httpFault = defineFaults({
	badRequest: {
		status: 400,
		retry: "never",
		public: "The request cannot be understood.",
		advice: "Look at the method, the path and the headers of the request against `/openapi`.",
	},
	malformedUrl: {
		status: 400,
		retry: "never",
		public: "The URL is not validly encoded.",
		advice: "Percent-encode the path and the query, and send exactly one Host header.",
	},
	malformedBody: {
		status: 400,
		retry: "never",
		public: "The body is not valid JSON.",
		advice: "Send one JSON document in UTF-8, in which no member is named twice.",
	},
	unauthorized: {
		status: 401,
		retry: "never",
		public:
			"Sign in first: this takes the header `Authorization: Bearer <token>`. A token comes from " +
			"POST /v1/trading/siwe/verify (a wallet's signature) or POST /v1/trading/enrollment.",
		advice:
			"Sign in with a wallet (`/v1/trading/siwe/nonce`, then `/v1/trading/siwe/verify`) or with the " +
			"wallet provider's access token (`/v1/trading/enrollment`), and send the answer's `token` as " +
			"`Authorization: Bearer`. Operators send the deployment's `ADMIN_API_KEY` as `x-api-key`; in " +
			"the sandbox the first lines of `bun run up` name one.",
	},
	forbidden: {
		status: 403,
		retry: "never",
		public: "That is not allowed.",
		advice: "Use an account that may do this; repeating it does not help.",
	},
	originNotAllowed: {
		status: 403,
		retry: "never",
		public: "Requests from this origin are not allowed.",
		advice:
			"Call from a page whose origin the operator listed in WEB_ALLOWED_ORIGINS, or from " +
			"a server without cookies.",
	},
	portInUse: {
		status: 500,
		retry: "later",
		public: "The port is in use by another program.",
	},
	notFound: {
		status: 404,
		retry: "never",
		public: "There is nothing at this address.",
		advice:
			"Look at the address: the routes are at `/openapi`, and names and ids are found by " +
			"the list routes.",
	},
	methodNotAllowed: {
		status: 405,
		retry: "never",
		public: "This address does not know that method.",
		advice: "Use a method that the `Allow` header of the answer names.",
	},
	conflict: {
		status: 409,
		retry: "never",
		public: "The request conflicts with what is stored.",
		advice: "Read what is stored now, and decide again.",
	},
	bodyTooLarge: {
		status: 413,
		retry: "never",
		public: "The body is larger than 1 MiB.",
		advice: "Send less at once, in several requests where that is possible.",
	},
	notAcceptable: {
		status: 406,
		retry: "never",
		public: "Answers are sent as they are, or encoded with gzip, br or zstd.",
		advice: "Leave `Accept-Encoding` out, or name one of gzip, br, zstd and identity in it.",
	},
	unsupportedMediaType: {
		status: 415,
		retry: "never",
		public: "Bodies are read as application/json only.",
		advice: "Send JSON with `Content-Type: application/json`.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
	cursorMismatch: {
		status: 422,
		retry: "never",
		public: "The cursor belongs to another list, or to other filters.",
		advice:
			"Send a cursor with the path and the filters of the page that it came with; only `limit` may " +
			"change. Leave it out to begin anew.",
	},
	upgradeRequired: {
		status: 426,
		retry: "never",
		public: "This address is a WebSocket stream: connect with a WebSocket client.",
		advice: "Connect with a WebSocket client; the frames are described at `/asyncapi/json`.",
	},
	rateLimited: {
		status: 429,
		retry: "later",
		public: "Rate limit exceeded.",
		advice:
			"Wait as long as `Retry-After` and `retryAfterMs` say. `RateLimit-*` headers show " +
			"what is left.",
	},
	internalError: {
		status: 500,
		retry: "later",
		public: "Something went wrong on our side. It has been recorded under the request id.",
		advice: "Try once more. Where it stays, tell an operator the `requestId`.",
	},
	unavailable: { status: 503, retry: "later", public: "The service cannot answer right now." },
	notReady: { status: 503, retry: "later", public: "The service is not ready." },
	draining: { status: 503, retry: "later", public: "This server is restarting. Connect again." },
});

const BY_STATUS: Readonly<Record<number, (details: { public?: string }) => Fault>> = {
	400: httpFault.badRequest,
	401: httpFault.unauthorized,
	403: httpFault.forbidden,
	404: httpFault.notFound,
	405: httpFault.methodNotAllowed,
	409: httpFault.conflict,
	413: httpFault.bodyTooLarge,
	415: httpFault.unsupportedMediaType,
	422: httpFault.validationError,
	426: httpFault.upgradeRequired,
	429: httpFault.rateLimited,
	// A bare 500 may contain an error's text, which must not be repeated.
	500: () => httpFault.internalError({ detail: "a route answered a bare 500" }),
};

const ISSUES_MAX = 32;
const ISSUE_TEXT_LENGTH_MAX = 300;

const ELYSIA_CODES = new Set<unknown>(["INVALID_COOKIE_SIGNATURE", "INVALID_FILE_TYPE"]);

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
 * Returns the Fault for a bare status: a route answered `status(404)`, or Elysia itself refused.
 *
 * `told` replaces the general sentence; it must be text that was meant for the caller.
 */
export function faultOfStatus(status: number, told?: string): Fault {
	const make = BY_STATUS[status];
	const details = told === undefined ? {} : { public: told };
	if (make) return make(details);
	if (status >= 500) return httpFault.unavailable({ detail: `answered status ${status}` });
	if (status < 400) return httpFault.internalError({ detail: `threw status ${status}` });
	return new Fault({
		code: `http_${status}`,
		status,
		retry: "never",
		publicDetail: told ?? "The request was refused.",
	});
}

/**
 * Reads a member of a body. Where that throws a Fault, its answer says in `issues` which member it
 * is about, and what form it takes.
 *
 * @example readMember("priceNative", () => parseAmount(body.priceNative, currency))
 */
export function readMember<Value>(path: string, read: () => Value): Value {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		const { code, status, retry, publicDetail, privateDetail, meta, cause } = error;
		const message = publicDetail.replace(/^The (?:amount|price) /, "");
		const members = { ...error.members, issues: [cut({ path, message })] };
		const told = { publicDetail, privateDetail, meta, cause, members };
		throw new Fault({ code, status, retry, ...told });
	}
}

/** Returns a status in the words of its RFC; undefined for an unknown one. */
export function statusWords(status: number | string): string | undefined {
	return STATUS_CODES[status];
}

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

function field(value: unknown, name: string): string {
	const found = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
	return typeof found === "string" ? found : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

function cut({ path, message }: ProblemIssue): ProblemIssue {
	return {
		path: path.slice(0, ISSUE_TEXT_LENGTH_MAX).toWellFormed(),
		message: message.slice(0, ISSUE_TEXT_LENGTH_MAX).toWellFormed(),
	};
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
