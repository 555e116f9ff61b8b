// Describes the failures of operations for the OpenAPI document.

import { z } from "zod";
import { dbFault } from "#core/db/Database.ts";
import type { Fault } from "#core/fault.ts";
import { httpFault, statusWords } from "#core/http/faults.ts";
import {
	CACHED_MEMBER,
	canFail,
	type DocumentedFailure,
	FAILURES_MEMBER,
	WORDS_MEMBER,
} from "#core/http/routeMarks.ts";

type Where = { method: string; path: string };

const failure = z.object({ status: z.int(), code: z.string(), detail: z.string() });
const declared = z.array(failure).catch([]);

/** Failures of every operation, or of every one with such input, which no route has to declare. */
const { badRequest, malformedUrl, malformedBody, unauthorized, originNotAllowed } = httpFault;
const COMMON = {
	malformed: [malformedUrl, badRequest, malformedBody],
	unauthorized: [unauthorized],
	origin: [originNotAllowed],
	input: [httpFault.validationError],
	body: [httpFault.bodyTooLarge, httpFault.unsupportedMediaType],
	cached: [httpFault.notAcceptable],
	always: [httpFault.internalError],
	/** Everything under /v1 is counted, and nearly everything reads the database. */
	v1: [httpFault.rateLimited, httpFault.unavailable, dbFault.databaseUnavailable],
} satisfies Record<string, (() => Fault)[]>;

const UNSAFE_METHODS = new Set(["post", "put", "patch", "delete"]);

const HOME = "#/components/responses/";
const common = Map.groupBy(
	canFail(...Object.values(COMMON).flat())[FAILURES_MEMBER],
	({ status }) => String(status),
);
const commonCodes = new Map(
	[...common].map(([status, failures]) => [status, new Set(failures.map(({ code }) => code))]),
);

const RETRY = {
	"retry-after": {
		description: "Seconds to wait before the same request is sent again.",
		schema: { type: "integer", minimum: 1 },
	},
};

/**
 * Returns the failure responses of an operation, by status, each with its codes: those that it
 * declares (`canFail`), and those that follow from its input. A status with only common codes
 * refers to the response of that name in `commonResponses`.
 */
export function failureResponses(
	operation: Readonly<Record<string, unknown>>,
	where: Where = { method: "get", path: "/v1" },
): Record<string, unknown> {
	const own = declared.parse(operation[FAILURES_MEMBER]);
	const implied = canFail(...impliedBy(operation, where))[FAILURES_MEMBER];
	const byStatus = Map.groupBy([...own, ...implied], ({ status }) => String(status));
	return Object.fromEntries(
		[...byStatus].map(([status, failures]) => {
			const isCommon = failures.every(({ code }) => commonCodes.get(status)?.has(code));
			if (WORDS_MEMBER in operation) return [status, inWords(response(failures))];
			return [status, isCommon ? { $ref: `${HOME}${nameOf(status)}` } : response(failures)];
		}),
	);
}

/** Returns the responses that operations share, by name. */
export function commonResponses(): Record<string, unknown> {
	return Object.fromEntries(
		[...common].map(([status, failures]) => [nameOf(status), response(failures)]),
	);
}

function impliedBy(
	operation: Readonly<Record<string, unknown>>,
	{ method, path }: Where,
): (() => Fault)[] {
	const { parameters } = operation;
	const hasCursor = Array.isArray(parameters) && parameters.some((one) => one?.name === "cursor");
	const { security } = operation;
	const isGuarded = Array.isArray(security) && security.length > 0;
	return [
		...COMMON.malformed,
		...(isGuarded ? COMMON.unauthorized : []),
		// Also without a body: types that a form can send are refused before the route runs.
		...(UNSAFE_METHODS.has(method) ? [...COMMON.origin, ...COMMON.body] : []),
		// For every operation: an unknown parameter is refused.
		...COMMON.input,
		...(hasCursor ? [httpFault.cursorMismatch] : []),
		...(method === "get" && CACHED_MEMBER in operation ? COMMON.cached : []),
		...COMMON.always,
		...(path.startsWith("/v1") ? COMMON.v1 : []),
	];
}

/** Returns a response's name: `Too Many Requests` as `TooManyRequests`. */
function nameOf(status: string): string {
	return (statusWords(status) ?? status).replaceAll(/[^A-Za-z0-9]/g, "");
}

/** Adds the sentence that a client gets which does not ask for JSON. */
function inWords(told: ReturnType<typeof response>) {
	const schema = { type: "string", examples: ["Sign in first."] };
	return { ...told, content: { ...told.content, "text/plain": { schema } } };
}

function response(given: readonly DocumentedFailure[]) {
	const failures = [...new Map(given.map((failure) => [failure.code, failure])).values()];
	const mayRetry = failures.some(({ status }) => status === 429 || status === 503);
	return {
		description: failures.map(({ code, detail }) => `\`${code}\`: ${detail}`).join(" "),
		...(mayRetry && { headers: RETRY }),
		content: {
			"application/problem+json": {
				schema: {
					allOf: [
						{ $ref: "#/components/schemas/Problem" },
						{ type: "object", properties: { code: { enum: failures.map(({ code }) => code) } } },
					],
				},
			},
		},
	};
}
