import { toOpenAPISchema } from "@elysiajs/openapi";
import type { AnyElysia } from "elysia";
import { commonResponses } from "#core/http/failureResponses.ts";
import { type Components, createComponents } from "#core/http/openapi/createComponents.ts";
import { describeOperation } from "#core/http/openapi/describeOperation.ts";
import { describePosted } from "#core/http/openapi/describePosted.ts";
import { documentWords } from "#core/http/openapi/documentWords.ts";
import { isRecord } from "#core/http/openapi/isRecord.ts";
import { problemSchemas } from "#core/http/problemSchemas.ts";

export type OpenApiDocument = {
	openapi: string;
	info: Record<string, unknown>;
	servers: readonly { url: string; description?: string }[];
	tags: readonly { name: string; description?: string }[];
	security: readonly Record<string, unknown>[];
	paths: Record<string, Record<string, unknown>>;
	components: {
		schemas: Record<string, Record<string, unknown>>;
		responses: Record<string, unknown>;
		securitySchemes: Record<string, unknown>;
	};
};

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

const SECURITY_SCHEMES = {
	session: {
		type: "http",
		scheme: "bearer",
		// Browsers send it as a cookie too. The cookie is not listed as a scheme: generated clients
		// send every listed scheme, and a cookie from outside an allowed page is refused.
		description:
			"The `token` of a sign-in, or the wallet provider's access token. A browser that signed in has " +
			"it as a cookie, and needs none.",
	},
	admin: {
		type: "apiKey",
		in: "header",
		name: "x-api-key",
		description: "The deployment's ADMIN_API_KEY. Who acts is named by the header `x-admin-actor`.",
	},
};

/**
 * Returns the OpenAPI 3.1 document of everything mounted on `app`, except streams and hidden
 * routes.
 */
export function openApiDocument(options: {
	app: AnyElysia;
	version: string;
	sandbox: boolean;
	publicUrl?: string | undefined;
}): OpenApiDocument {
	const components = createComponents();
	for (const [name, schema] of Object.entries(problemSchemas)) components.add(name, { ...schema });
	const generated = toOpenAPISchema(options.app, { methods: ["options", "ws"] }, undefined, {
		zod: components.describe,
	});
	const paths = pathsOf(generated.paths, components);
	const schemas = components.schemas();
	const url = options.publicUrl ?? "/";
	return {
		openapi: "3.1.2",
		info: {
			title: "Tapeline",
			version: options.version,
			summary: "A market index and trading service for NFTs on EVM chains.",
			description: documentWords.description,
			license: { name: "MIT", identifier: "MIT" },
		},
		servers: [
			options.sandbox ? { url, description: "Sandbox: nothing here is real money." } : { url },
		],
		tags: tagsOf(paths),
		security: [],
		paths,
		components: {
			schemas,
			responses: referredTo(commonResponses(), { paths, home: "#/components/responses/" }),
			securitySchemes: referredSchemes(paths),
		},
	};
}

function pathsOf(
	generated: Record<string, unknown>,
	components: Components,
): OpenApiDocument["paths"] {
	const found = Object.entries(generated).flatMap(([path, item]) =>
		Object.entries(Object(item)).flatMap(([method, value]) =>
			METHODS.has(method) && isRecord(value)
				? [{ path, method, operation: describePosted(value, components) }]
				: [],
		),
	);
	const schemas = components.schemas();
	const paths: OpenApiDocument["paths"] = {};
	for (const { path, method, operation } of found) {
		const described = describeOperation(operation, { method, path, schemas });
		paths[path] = { ...paths[path], [method]: described };
	}
	return paths;
}

/** Removes schemas without references: linters report them, and readers look for their use. */
function referredTo(
	named: Record<string, unknown>,
	{ paths, home }: { paths: object; home: string },
): Record<string, unknown> {
	const text = JSON.stringify(paths);
	return Object.fromEntries(
		Object.entries(named).filter(([name]) => text.includes(`"${home}${name}"`)),
	);
}

function referredSchemes(paths: OpenApiDocument["paths"]): Record<string, unknown> {
	const used = operationsOf(paths).flatMap(({ security }) =>
		Array.isArray(security) ? security.flatMap((one) => Object.keys(Object(one))) : [],
	);
	return Object.fromEntries(
		Object.entries(SECURITY_SCHEMES).filter(([name]) => used.includes(name)),
	);
}

function tagsOf(paths: OpenApiDocument["paths"]): OpenApiDocument["tags"] {
	const names = operationsOf(paths).flatMap(({ tags }) => (Array.isArray(tags) ? tags : []));
	return [...new Set(names.map(String))].sort().map((name) => {
		const description = documentWords.tags[name];
		return description === undefined ? { name } : { name, description };
	});
}

function operationsOf(paths: OpenApiDocument["paths"]): Record<string, unknown>[] {
	return Object.values(paths).flatMap((item) => Object.values(item).filter(isRecord));
}
