import { STATUS_CODES } from "node:http";
import { toOpenAPISchema } from "@elysiajs/openapi";
import type { AnyElysia } from "elysia";
import { z } from "zod";
import { HEADERS_MEMBER } from "#core/http/canCarry.ts";
import { FAILURES_MEMBER } from "#core/http/canFail.ts";
import { failureResponses } from "#core/http/failureResponses.ts";
import { problemSchema } from "#core/http/problemSchema.ts";

export type OpenApiDocument = {
	openapi: string;
	info: Record<string, unknown>;
	servers: readonly { url: string; description?: string }[];
	tags: readonly { name: string }[];
	paths: Record<string, Record<string, unknown>>;
	components: Record<string, unknown>;
};

/** What zod writes for a template literal of "0x" and any text. */
const ANY_HEX = "^0x[\\s\\S]{0,}$";
const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

const DESCRIPTION = [
	"Market data, trading and an agent for NFTs and tokenised stocks on EVM chains.",
	"",
	"- **Errors** are `application/problem+json` with a stable `code`.",
	"- **Limit**: 600 requests a minute for each client. `RateLimit-*` headers say what is left; a",
	"  429 names the wait in `Retry-After` and `retryAfterMs`.",
	"- **503** is ours and passes: wait `Retry-After` and repeat. `database_unavailable` can be answered",
	"  by every operation that reads or writes. `outcome_unknown` may be done: repeat it with the same",
	"  `idempotency-key`, or look first.",
	"- **Lists** take `limit` and `cursor` and answer `{ data, page: { nextCursor, hasMore } }`",
	"  unless their schema says otherwise.",
	"- **Streams** are WebSockets, at the `…/stream` addresses beside their routes; they are not listed here.",
	"- **Unknown is not zero**: a figure that is not known is `null`.",
	"- Every answer carries `x-request-id`; send your own to find it in our logs.",
].join("\n");

/** The OpenAPI 3.1 document of everything mounted on `app`, but for streams and hidden routes. */
export function openApiDocument(options: {
	app: AnyElysia;
	version: string;
	sandbox: boolean;
	publicUrl?: string | undefined;
}): OpenApiDocument {
	const generated = toOpenAPISchema(options.app, { methods: ["options", "ws"] }, undefined, {
		zod: jsonSchemaOf,
	});
	const paths: OpenApiDocument["paths"] = {};
	for (const [path, item] of Object.entries(generated.paths)) {
		if (!isRecord(item)) continue;
		const operations = Object.entries(item).filter(([method]) => METHODS.has(method));
		if (operations.length === 0) continue;
		paths[path] = Object.fromEntries(operations.map(([key, value]) => [key, operation(value)]));
	}
	const url = options.publicUrl ?? "/";
	return {
		openapi: "3.1.2",
		info: { title: "Tapeline", version: options.version, description: DESCRIPTION },
		servers: [
			options.sandbox ? { url, description: "Sandbox: nothing here is real money." } : { url },
		],
		tags: tagsOf(paths),
		paths,
		components: {
			schemas: { ...generated.components.schemas, Problem: problemSchema },
			securitySchemes: {
				session: { type: "http", scheme: "bearer" },
				admin: { type: "apiKey", in: "header", name: "x-api-key" },
			},
		},
	};
}

/** No `.meta({ id })` in schemas: zod then writes a `$ref` that the document cannot resolve. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
	const { $schema: _, ...rest } = z.toJSONSchema(schema, {
		io: "input",
		unrepresentable: "any",
		override({ jsonSchema }) {
			// The page makes up an example from a pattern: one of a "0x…" that allows anything is noise.
			if (jsonSchema.pattern === ANY_HEX) {
				Object.assign(jsonSchema, {
					pattern: "^0x[0-9a-fA-F]*$",
					examples: jsonSchema.examples ?? ["0x…"],
				});
			}
			if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
			if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
		},
	});
	return rest;
}

function operation(value: unknown): unknown {
	if (!isRecord(value)) return value;
	const responses = isRecord(value.responses) ? value.responses : {};
	const { [FAILURES_MEMBER]: _, [HEADERS_MEMBER]: headers, ...rest } = value;
	return {
		...rest,
		...(Array.isArray(value.parameters) ? { parameters: value.parameters.map(described) } : {}),
		...(isRecord(value.requestBody) ? { requestBody: jsonOnly(value.requestBody) } : {}),
		responses: {
			...(Object.keys(responses).length === 0
				? { 200: { description: "OK" } }
				: named(responses, headers)),
			...failureResponses(value),
			default: responses.default ?? {
				description: "Any error",
				content: {
					"application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
				},
			},
		},
	};
}

/** Pages show a parameter's own description, and zod's is of its schema. */
function described(parameter: unknown): unknown {
	const schema = isRecord(parameter) && isRecord(parameter.schema) ? parameter.schema : {};
	if (!isRecord(parameter) || typeof schema.description !== "string") return parameter;
	return { description: schema.description, ...parameter };
}

/** The status in words, in place of the generator's "Response for status 200"; its headers. */
function named(responses: Record<string, unknown>, headers: unknown): Record<string, unknown> {
	const named = Object.entries(responses).map(([status, response]) => {
		if (!isRecord(response)) return [status, response];
		const words = STATUS_CODES[status];
		const isMade = response.description === `Response for status ${status}`;
		const described = isMade && words ? { ...response, description: words } : response;
		return [status, isRecord(headers) ? { ...described, headers } : described];
	});
	return Object.fromEntries(named);
}

/** The generator also lists the form types, which the service answers with 415. */
function jsonOnly(body: Record<string, unknown>): Record<string, unknown> {
	const content = isRecord(body.content) ? body.content["application/json"] : undefined;
	return content === undefined ? body : { ...body, content: { "application/json": content } };
}

function tagsOf(paths: OpenApiDocument["paths"]): { name: string }[] {
	const names = new Set<string>();
	for (const item of Object.values(paths)) {
		for (const described of Object.values(item)) {
			if (!isRecord(described) || !Array.isArray(described.tags)) continue;
			for (const tag of described.tags) names.add(String(tag));
		}
	}
	return [...names].sort().map((name) => ({ name }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
