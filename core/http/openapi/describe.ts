// Describes operations and tags for the OpenAPI document.

import { CHANNEL_MEMBER, type DescribedChannel } from "#core/http/asyncApi.ts";
import { failureResponses } from "#core/http/failureResponses.ts";
import { statusWords } from "#core/http/faults.ts";
import {
	type Components,
	exampleOf,
	isRecord,
	type JsonSchema,
	OPTIONAL_MEMBER,
} from "#core/http/openapi/schema.ts";
import {
	CACHED_MEMBER,
	COSTLY_MEMBER,
	FAILURES_MEMBER,
	HEADERS_MEMBER,
	PUBLIC_MEMBER,
	SIGNED_MEMBER,
	WORDS_MEMBER,
} from "#core/http/routeMarks.ts";

type Described = {
	method: string;
	path: string;
	schemas: Readonly<Record<string, JsonSchema>>;
};

const ANY_FAILURE = {
	description: "Any other error.",
	content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

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

/** The OpenAPI document's text about the whole service. */
export const documentWords = {
	description: [
		"Market data and trading for NFTs on EVM chains: what chains say happened, merged with the order",
		"book of a marketplace provider, as figures that say how far they are from complete.",
		"",
		"- **Errors** are `application/problem+json` (RFC 9457). Switch on `code`. Their `type` is the",
		"  address of a page that says what the code means and what to do; all codes: `/problems`.",
		"- **Limit**: 600 requests a minute for each client address. `RateLimit-*` headers say what is",
		"  left; a 429 names the wait in `Retry-After` and `retryAfterMs`.",
		"- **503** is ours and passes: wait `Retry-After` and repeat. `outcome_unknown` may be done: repeat",
		"  it with the same `idempotency-key`, or look first.",
		"- **Lists** take `limit` and `cursor` and answer `{ data, page: { nextCursor, hasMore } }`",
		"  unless their schema says otherwise.",
		"- **Streams** are WebSockets at the `…/stream` addresses beside their routes. They, and the webhook",
		"  that this service receives, are described by the AsyncAPI document at `/asyncapi/json`.",
		"- **Unknown is not zero**: a figure that is not known is `null`.",
		"- **Units**: a number named `…Native` is an ETH equivalent, converted through US dollars, whatever",
		"  currency was paid; `…Usd` is US dollars. Both are for display. Amounts named `…Raw` are exact:",
		"  decimal text in the smallest unit of their currency (wei for ETH).",
		"- **Times** are ISO 8601 in UTC with milliseconds. Addresses and hashes are lower-case hex.",
		"- Every answer carries `x-request-id`; send your own to find it in our logs.",
	].join("\n"),
	tags: {
		bridging: "Money on its way to another chain.",
		admin: "For operators of a deployment, with its `ADMIN_API_KEY`.",
		agent: "Questions and actions as text: strict commands, chat, and the tools behind them.",
		market: "Collections, sales, figures and order books. Open to everybody.",
		operations: "Whether a process lives, its figures, and what the codes of errors mean.",
		social: "What X sends of mentions of the bot and of messages to it.",
		token: "What the token's revenue is, and becomes. Open to everybody.",
		trading: "Signing in, wallets, transfers and buys of whoever is signed in.",
	} as Readonly<Record<string, string>>,
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

/**
 * Adds headers and body from its messages (`canStream`) to an operation that reads its bytes
 * itself, such as a signed webhook. Returns others unchanged.
 */
export function describePosted(
	operation: Record<string, unknown>,
	components: Components,
): Record<string, unknown> {
	const channel = operation[CHANNEL_MEMBER];
	if (!isPosted(channel)) return operation;
	const { headers, receives = {} } = channel;
	const { properties = {} } = headers ? components.describe(headers) : {};
	const bodies = Object.values(receives).map(({ schema }) => components.describe(schema));
	const [only] = bodies;
	return {
		...operation,
		parameters: Object.entries(Object(properties)).map(([name, schema]) => {
			return { name, in: "header", required: true, schema };
		}),
		requestBody: {
			content: {
				"application/json": { schema: bodies.length === 1 ? only : { oneOf: bodies } },
			},
		},
	};
}

/** Returns an operation without the members that only this service reads. */
function withoutOurs(value: Record<string, unknown>): Record<string, unknown> {
	const {
		[FAILURES_MEMBER]: _failures,
		[CHANNEL_MEMBER]: _channel,
		[CACHED_MEMBER]: _cached,
		[PUBLIC_MEMBER]: _public,
		[COSTLY_MEMBER]: _costly,
		[SIGNED_MEMBER]: _signed,
		[WORDS_MEMBER]: _words,
		...rest
	} = value;
	return rest;
}

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

/** Adds an example that is built from the body's schema. */
function shown(media: Record<string, unknown>, schemas: Described["schemas"]) {
	const example = exampleOf(media.schema, schemas);
	return example === undefined ? media : { ...media, example };
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

function isPosted(value: unknown): value is DescribedChannel {
	return isRecord(value) && isRecord(value.receives);
}
