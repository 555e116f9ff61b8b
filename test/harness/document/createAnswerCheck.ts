import type { OpenApiDocument } from "#core/http/openApiDocument.ts";
import { createSchemaCheck } from "#test/harness/document/createSchemaCheck.ts";

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
		const response = shared === undefined ? named : at(document, shared);
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

function at(document: object, pointer: string): any {
	return pointer
		.split("/")
		.slice(1)
		.reduce<any>((part, key) => Object(part)[key], document);
}

function patternOf(path: string): RegExp {
	const parts = path.split("/").map((part) => {
		return part.startsWith("{") ? "[^/]+" : part.replaceAll(/[.*+?^$()[\]|\\]/g, "\\$&");
	});
	return new RegExp(`^${parts.join("/")}/?$`);
}
