import { z } from "zod";
import type { Fault } from "#core/fault/Fault.ts";
import { canFail, type DocumentedFailure, FAILURES_MEMBER } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";

const failure = z.object({ status: z.int(), code: z.string(), detail: z.string() });
const declared = z.array(failure).catch([]);

/**
 * The responses of an operation that are no success, by status, each with its codes: those it
 * declares (`canFail`), and those that follow from what it takes.
 */
export function failureResponses(
	operation: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	const failures = [
		...declared.parse(operation[FAILURES_MEMBER]),
		...canFail(...impliedBy(operation))[FAILURES_MEMBER],
	];
	const byStatus = Map.groupBy(failures, ({ status }) => String(status));
	return Object.fromEntries([...byStatus].map(([status, some]) => [status, response(some)]));
}

function impliedBy(operation: Readonly<Record<string, unknown>>): (() => Fault)[] {
	const hasBody = operation.requestBody !== undefined;
	const hasInput = hasBody || (Array.isArray(operation.parameters) && operation.parameters.length);
	const isGuarded = Array.isArray(operation.security) && operation.security.length > 0;
	return [
		...(isGuarded ? [httpFault.unauthorized] : []),
		...(hasInput ? [httpFault.validationError] : []),
		...(hasBody
			? [httpFault.malformedBody, httpFault.bodyTooLarge, httpFault.unsupportedMediaType]
			: []),
		httpFault.rateLimited,
		httpFault.internalError,
	];
}

function response(given: readonly DocumentedFailure[]) {
	const failures = [...new Map(given.map((failure) => [failure.code, failure])).values()];
	return {
		description: failures.map(({ code, detail }) => `\`${code}\`: ${detail}`).join(" "),
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
