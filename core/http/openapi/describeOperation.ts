import { CHANNEL_MEMBER } from "#core/http/asyncapi/canStream.ts";
import { CACHED_MEMBER } from "#core/http/canBeCached.ts";
import { HEADERS_MEMBER } from "#core/http/canCarry.ts";
import { FAILURES_MEMBER } from "#core/http/canFail.ts";
import { failureResponses } from "#core/http/failureResponses.ts";
import { OPTIONAL_MEMBER } from "#core/http/openapi/createComponents.ts";
import { exampleOf } from "#core/http/openapi/exampleOf.ts";
import { isRecord } from "#core/http/openapi/isRecord.ts";
import type { JsonSchema } from "#core/http/openapi/JsonSchema.ts";
import { statusWords } from "#core/http/statusWords.ts";
import { SIGNED_MEMBER } from "#core/http/takesSigned.ts";

type Described = {
	method: string;
	path: string;
	schemas: Readonly<Record<string, JsonSchema>>;
};

const ANY_FAILURE = {
	description: "Any other error.",
	content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/**
 * Returns an operation for the document, from the generator's output for its route: with security,
 * an example of each body, and each way it can fail.
 */
export function describeOperation(
	value: Record<string, unknown>,
	{ method, path, schemas }: Described,
): Record<string, unknown> {
	const { [HEADERS_MEMBER]: headers, ...rest } = withoutOurs(value);
	const given = isRecord(value.responses) ? value.responses : {};
	const { default: fallback = ANY_FAILURE, ...responses } = given;
	const successes = Object.keys(responses).length === 0 ? NOTHING_SAID : responses;
	const isCached = method === "get" && CACHED_MEMBER in value;
	const told = isCached ? { ...CACHED_HEADERS, ...Object(headers) } : headers;
	return {
		...rest,
		// Without a statement it needs no credentials.
		security: Array.isArray(value.security) ? value.security : [],
		...(Array.isArray(value.parameters) && { parameters: value.parameters.map(described) }),
		...(isRecord(value.requestBody) && { requestBody: bodyOf(value.requestBody, schemas) }),
		responses: {
			...Object.fromEntries(
				Object.entries(successes).map(([status, response]) => {
					return [status, success(response, { status, headers: told, schemas })];
				}),
			),
			...(isCached && { 304: UNCHANGED }),
			...failureResponses(value, { method, path }),
			default: fallback,
		},
	};
}

/** Removes members that routes only tell us. */
function withoutOurs(value: Record<string, unknown>): Record<string, unknown> {
	const {
		[FAILURES_MEMBER]: _failures,
		[CHANNEL_MEMBER]: _channel,
		[CACHED_MEMBER]: _cached,
		[SIGNED_MEMBER]: _signed,
		...rest
	} = value;
	return rest;
}

const ETAG = {
	description: "Weak: equal while the answer is, whenever it was given. Send as `If-None-Match`.",
	schema: { type: "string", examples: ['W/"2f1k9x0c3d"'] },
};
const CACHED_HEADERS = {
	etag: ETAG,
	"cache-control": {
		description: "May be kept, and is asked about before each use.",
		schema: { type: "string", examples: ["public, max-age=0, must-revalidate"] },
	},
	"content-encoding": {
		description: "As `Accept-Encoding` likes it best; absent where the answer is sent as it is.",
		schema: { type: "string", enum: ["gzip", "br", "zstd"] },
	},
};
const UNCHANGED = {
	description: "What `If-None-Match` names is what would be answered; without a body.",
	headers: { etag: ETAG },
};

const NOTHING_SAID = { 200: { description: "OK" } };

/** Moves the description from a parameter's schema to the parameter, where pages show it. */
function described(parameter: unknown): unknown {
	const schema = isRecord(parameter) && isRecord(parameter.schema) ? parameter.schema : {};
	if (!isRecord(parameter) || typeof schema.description !== "string") return parameter;
	const { description, ...rest } = schema;
	return { description, ...parameter, schema: rest };
}

/** Keeps only JSON: the generator also lists form types, which the service answers with 415. */
function bodyOf(body: Record<string, unknown>, schemas: Described["schemas"]) {
	const content = isRecord(body.content) ? body.content["application/json"] : undefined;
	const { description, ...rest } = body;
	const given = isRecord(content) && isRecord(content.schema) ? content.schema : {};
	const { [OPTIONAL_MEMBER]: isOptional = false, ...schema } = given;
	return {
		...(description !== undefined && { description }),
		...rest,
		required: isOptional !== true,
		...(isRecord(content) && {
			content: { "application/json": shown({ ...content, schema }, schemas) },
		}),
	};
}

/**
 * Uses the status in words, instead of the generator's "Response for status 200"; adds its headers.
 */
function success(
	response: unknown,
	about: { status: string; headers: unknown; schemas: Described["schemas"] },
): unknown {
	if (!isRecord(response)) return response;
	const { status, headers, schemas } = about;
	const words = statusWords(status);
	const isMade = response.description === `Response for status ${status}`;
	const content = isRecord(response.content) ? Object.entries(response.content) : [];
	return {
		...response,
		...(isMade && words && { description: words }),
		...(isRecord(headers) && { headers }),
		...(content.length > 0 && {
			content: Object.fromEntries(
				content.map(([type, media]) => [type, isRecord(media) ? shown(media, schemas) : media]),
			),
		}),
	};
}

/** Adds an example that is built from the body's schema. */
function shown(media: Record<string, unknown>, schemas: Described["schemas"]) {
	const example = exampleOf(media.schema, schemas);
	return example === undefined ? media : { ...media, example };
}
