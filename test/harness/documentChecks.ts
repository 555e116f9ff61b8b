// Checks answers and frames against the service's own OpenAPI and AsyncAPI documents.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type AnyElysia, Elysia } from "elysia";
import { type AsyncApiDocument, asyncApiDocument } from "#core/http/asyncApi.ts";
import { operationsRoutes } from "#core/http/createHttpApp.ts";
import { type OpenApiDocument, openApiDocument, openApiRoutes } from "#core/http/openApi.ts";
import { isRecord } from "#core/http/openapi/schema.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

/** Returns what is wrong with a value by a schema of a document; undefined where nothing is. */
export type SchemaCheck = (pointer: string, value: unknown) => string | undefined;

export type Answer = {
	method: string;
	/** The path with its query, as requested. */
	path: string;
	status: number;
	contentType: string | null;
	/** Parsed if it is JSON. */
	body: unknown;
};

/** Returns what is wrong with an answer by the OpenAPI document; undefined where nothing is. */
export type AnswerCheck = (answer: Answer) => string | undefined;

/** Returns what is wrong with a frame of a stream by the AsyncAPI document; undefined: nothing. */
export type FrameCheck = (path: string, frame: unknown) => string | undefined;

const LEFT = new Set(["allOf", "Problem", "example", "examples"]);

const TEXT_LENGTH_MAX = 200;

const about = { version: "0.0.0-test", sandbox: false };

/**
 * Makes a check of answers against a service's document: status, content type, and every member.
 * Addresses that the document lacks (pages, sockets, unknown ones) are not checked.
 */
export function createAnswerCheck(document: OpenApiDocument): AnswerCheck {
	const check = createSchemaCheck(document);
	const routes = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }));
	return ({ method, path, status, contentType, body }) => {
		const [bare = ""] = path.split("?");
		const route =
			routes.find((one) => one.path === bare) ?? routes.find(({ pattern }) => pattern.test(bare));
		const verb = method === "HEAD" ? "get" : method.toLowerCase();
		const operation = route && Object(document.paths[route.path])[verb];
		if (!route || !operation) return undefined;
		const about = `${method} ${path} answered ${status}`;
		const named = Object(operation.responses)[status];
		if (named === undefined) return `${about}, which the document does not name`;
		const shared = typeof named.$ref === "string" ? String(named.$ref).slice(1) : undefined;
		const home =
			shared ??
			`/paths/${route.path.replaceAll("~", "~0").replaceAll("/", "~1")}/${verb}/responses/${status}`;
		const response = shared === undefined ? named : partAt(document, shared);
		const type = contentType?.split(";")[0] ?? "";
		if (!Object.hasOwn(Object(response.content), type)) {
			const isEmpty = response.content === undefined && !contentType;
			return isEmpty || method === "HEAD"
				? undefined
				: `${about} as ${type}, which is not documented`;
		}
		const wrong = check(`${home}/content/${type.replace("/", "~1")}/schema`, body);
		return wrong && `${about}, and\n${wrong}`;
	};
}

/** Makes a check of frames against the messages of their address's channel. */
export function createFrameCheck(document: AsyncApiDocument): FrameCheck {
	const check = createSchemaCheck(document);
	const channels = Object.entries(document.channels).map(([name, channel]) => ({
		name,
		messages: Object.keys(Object(channel["messages"])),
		pattern: new RegExp(`^${String(channel["address"]).replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
	}));
	return (path, frame) => {
		const [bare = ""] = path.split("?");
		const channel = channels.find(({ pattern }) => pattern.test(bare));
		if (!channel) return `${path} is no channel of the document`;
		const type = String(Object(frame).type);
		const sent =
			document.operations[`send${channel.name[0]?.toUpperCase()}${channel.name.slice(1)}`];
		const isSent = JSON.stringify(sent).includes(`/messages/${type}"`);
		if (!isSent) return `${channel.name} does not say that it sends ${type}`;
		const wrong = check(`/components/messages/${type}/payload`, frame);
		return wrong && `a frame ${type} of ${channel.name}:\n${wrong}`;
	};
}

/**
 * Makes a check of values against the schemas of an OpenAPI or AsyncAPI document, each named by its
 * JSON pointer (`/components/schemas/Page`). Members that no schema names are wrong.
 */
export function createSchemaCheck(document: object): SchemaCheck {
	// Other tests check that the document itself is well formed (`e2e/documents`): repeating it would
	// cost each service of a test a sixth of a second.
	const given = { meta: false, validateSchema: false } as const;
	const ajv = new Ajv2020({ ...given, strict: false, allErrors: true, validateFormats: true });
	addFormats.default(ajv);
	ajv.addSchema({ ...Object(closed(document)), $id: "document" });
	const checks = new Map<string, ValidateFunction>();
	return (pointer, value) => {
		const check = checks.get(pointer) ?? ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
		checks.set(pointer, check);
		if (check(value)) return undefined;
		return (check.errors ?? [])
			.map(({ instancePath, message, params }) => {
				const found = textAt(value, instancePath);
				return `${instancePath} ${message} ${JSON.stringify(params)}: ${found}`;
			})
			.slice(0, 5)
			.join("\n");
	};
}

/**
 * Returns a copy of a document in which objects have only the members that their schemas name.
 *
 * The document itself allows more, as clients must. A test does not: a member that is sent but not
 * described would have no meaning and no unit for its reader. Problems may have more members, and a
 * combination of several schemas stays open: each part names some members only.
 */
export function closed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(closed);
	if (!isRecord(value)) return value;
	const copy = Object.fromEntries(
		Object.entries(value).map(([key, part]) => [key, LEFT.has(key) ? part : closed(part)]),
	);
	const isObject = isRecord(copy["properties"]) && (copy["type"] ?? "object") === "object";
	return isObject && !("additionalProperties" in copy)
		? { ...copy, additionalProperties: false }
		: copy;
}

/**
 * Returns the documents of a service with these routes, without a request to it: so nothing that a
 * test counts (requests, log lines, allowances) changes.
 */
export function documentsOf(routes: readonly AnyElysia[]): {
	openApi: OpenApiDocument;
	asyncApi: AsyncApiDocument;
} {
	const app: AnyElysia = new Elysia();
	app.use(
		operationsRoutes({
			...about,
			log: silentLog,
			metrics: createMetrics(),
			health: async () => ({ status: "ok" }),
			ready: async () => ({ ready: true, components: [], degraded: [] }),
			draining: () => false,
		}),
	);
	app.use(openApiRoutes({ ...about, app }));
	for (const one of routes) app.use(one);
	return {
		openApi: openApiDocument({ ...about, app }),
		asyncApi: asyncApiDocument({ ...about, app }),
	};
}

function patternOf(path: string): RegExp {
	const parts = path.split("/").map((part) => {
		return part.startsWith("{") ? "[^/]+" : part.replaceAll(/[.*+?^$()[\]|\\]/g, "\\$&");
	});
	return new RegExp(`^${parts.join("/")}/?$`);
}

/** Returns the part of a document that a JSON pointer names. */
function partAt(document: object, pointer: string): any {
	return pointer
		.split("/")
		.slice(1)
		.reduce<any>((part, key) => Object(part)[key], document);
}

/** Returns the value that a JSON pointer names, as text of limited length. */
function textAt(value: unknown, pointer: string): string {
	const found = pointer
		.split("/")
		.slice(1)
		.reduce<unknown>((part, key) => Object(part)[key.replaceAll("~1", "/")], value);
	return (JSON.stringify(found) ?? "nothing").slice(0, TEXT_LENGTH_MAX);
}
