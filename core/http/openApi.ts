// Makes the OpenAPI document, its page, and the index of the service.

import { dirname, join } from "node:path";
import { toOpenAPISchema } from "@elysiajs/openapi";
import { type AnyElysia, Elysia } from "elysia";
import { z } from "zod";
import { asyncApiDocument } from "#core/http/asyncApi.ts";
import { commonResponses } from "#core/http/failureResponses.ts";
import { httpFault } from "#core/http/faults.ts";
import { describeOperation, describePosted, documentWords } from "#core/http/openapi/describe.ts";
import { type Components, createComponents, field, isRecord } from "#core/http/openapi/schema.ts";
import {
	escapeHtml,
	pageResponse,
	problemRoutes,
	problemSchemas,
	wantsHtml,
} from "#core/http/problems.ts";
import { canBeCached, canBeReadByAnyPage } from "#core/http/routeMarks.ts";

export type SwaggerAsset = {
	body: Uint8Array<ArrayBuffer>;
	gzipped: Uint8Array<ArrayBuffer>;
	type: string;
	etag: string;
};

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

/**
 * Starts the page. A separate file, because the page's policy forbids inline scripts.
 *
 * `validatorUrl: null` matters: otherwise the library sends the document to its maker's server.
 */
export const openApiStartScript = `window.ui = SwaggerUIBundle({
	url: "/openapi/json",
	domNode: document.getElementById("page"),
	deepLinking: true,
	validatorUrl: null,
	persistAuthorization: false,
	displayRequestDuration: true,
});
`;

/** The only files that are served: a name from a URL never becomes a path. */
const FILES: Readonly<Record<string, string>> = {
	"swagger-ui.css": "text/css; charset=utf-8",
	"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
	"favicon-32x32.png": "image/png",
};

const START = "start.js";

const linkSchema = z
	.object({
		path: field.text("Where it is, on this host.", "/openapi"),
		about: field.text("What is there.", "Every route, to read and to try."),
	})
	.meta({ id: "IndexLink", description: "An address of this service." });

const indexSchema = z
	.object({
		name: field.text("The service.", "Tapeline"),
		version: field.text("Its version.", "0.1.0"),
		sandbox: field.flag("Whether it runs in a sandbox, where nothing is real money."),
		documents: z.array(linkSchema).meta({ description: "What describes this service." }),
		routes: z
			.array(linkSchema)
			.meta({ description: "Routes that can be read at once, without a parameter or a session." }),
	})
	.meta({ id: "Index", description: "Where to go from here." });

type Index = z.output<typeof indexSchema>;

const DOCUMENTS: Index["documents"] = [
	{ path: "/openapi", about: "Every route, to read and to try; also at `/docs`." },
	{
		path: "/openapi/json",
		about: "The same for programs, as OpenAPI 3.1; also at `/openapi.json`.",
	},
	{ path: "/asyncapi/json", about: "WebSocket streams and webhooks, as AsyncAPI 3." },
	{ path: "/problems", about: "Every code of an error: what it means and what to do." },
];

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
		description:
			"The deployment's ADMIN_API_KEY; in the sandbox the banner of `up` names one. Who acts is named " +
			"by the header `x-admin-actor`.",
	},
};

/**
 * The page that shows the OpenAPI document. It has nothing inline, so its policy can forbid that.
 */
export const openApiPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tapeline API</title>
<link rel="icon" type="image/png" href="/openapi/assets/favicon-32x32.png">
<link rel="stylesheet" href="/openapi/assets/swagger-ui.css">
</head>
<body>
<main id="page"></main>
<noscript>The document itself is at <a href="/openapi/json">/openapi/json</a>.</noscript>
<script src="/openapi/assets/swagger-ui-bundle.js"></script>
<script src="/openapi/assets/start.js"></script>
</body>
</html>
`;

/** Allows only our own files. Images also as `data:`, which Swagger UI's style sheet contains. */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

const ASSET_SECONDS = 86_400;

/**
 * Returns the routes of the API's description: for programs (`/openapi/json`, `/asyncapi/json`),
 * for people (`/openapi`), the meaning of codes (`/problems`), and the index (`/`).
 */
export function openApiRoutes(options: {
	app: AnyElysia;
	version: string;
	sandbox: boolean;
	publicUrl?: string | undefined;
}) {
	const assets = createSwaggerAssets();
	const hidden = { detail: { hide: true } };
	const cached = { detail: { hide: true, ...canBeCached() } };
	const openApi = onceForRoutes(options.app, () => openApiDocument(options));
	const openApiText = onceForRoutes(options.app, () => JSON.stringify(openApi()));
	const asyncApiText = onceForRoutes(options.app, () => JSON.stringify(asyncApiDocument(options)));
	const json = (text: string) =>
		new Response(text, { headers: { "content-type": "application/json" } });
	return (
		new Elysia()
			.use(indexRoutes({ ...options, document: openApi }))
			.use(problemRoutes())
			.get("/openapi/json", () => json(openApiText()), cached)
			// Where generators look first.
			.get("/openapi.json", () => json(openApiText()), cached)
			.get("/asyncapi/json", () => json(asyncApiText()), cached)
			.get("/openapi", documentPage, hidden)
			.get("/docs", documentPage, hidden)
			.get(
				"/openapi/assets/:file",
				async ({ params, request }) => {
					const asset = await assets.find(params.file);
					if (!asset) throw httpFault.notFound();
					const headers = new Headers({
						"content-type": asset.type,
						"cache-control": `public, max-age=${ASSET_SECONDS}`,
						etag: asset.etag,
						vary: "Accept-Encoding",
					});
					if (request.headers.get("if-none-match") === asset.etag) {
						return new Response(null, { status: 304, headers });
					}
					if (!/\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")) {
						return new Response(asset.body, { headers });
					}
					headers.set("content-encoding", "gzip");
					return new Response(asset.gzipped, { headers });
				},
				hidden,
			)
	);
}

function documentPage(): Response {
	return new Response(openApiPage, {
		headers: {
			"content-type": "text/html; charset=utf-8",
			"content-security-policy": POLICY,
			"cache-control": "no-cache",
		},
	});
}

/** Serves Swagger UI from our own dependencies, so the page works without the internet. */
export function createSwaggerAssets(): { find(name: string): Promise<SwaggerAsset | undefined> } {
	const folder = dirname(Bun.resolveSync("swagger-ui-dist/package.json", import.meta.dir));
	const made = new Map<string, Promise<SwaggerAsset>>();
	return {
		async find(name) {
			const type = name === START ? "text/javascript; charset=utf-8" : FILES[name];
			if (type === undefined || !(name === START || Object.hasOwn(FILES, name))) return undefined;
			const asset = made.get(name) ?? load({ name, type, folder });
			made.set(name, asset);
			return asset;
		},
	};
}

/**
 * Returns the route `/`: links to everything else, as a page for browsers and as JSON for others.
 */
export function indexRoutes(options: {
	version: string;
	sandbox: boolean;
	document: () => OpenApiDocument;
}) {
	const { version, sandbox, document } = options;
	return new Elysia().get(
		"/",
		({ request, set }) => {
			set.headers["vary"] = "Accept";
			const routes = openRoutes(document());
			const index = { name: "Tapeline", version, sandbox, documents: [...DOCUMENTS], routes };
			return wantsHtml(request) ? pageResponse(pageOf(index)) : index;
		},
		{
			response: { 200: indexSchema },
			detail: {
				...canBeReadByAnyPage(),
				operationId: "getIndex",
				tags: ["operations"],
				summary: "Says where to go",
				description: "As a page for browsers (`Accept: text/html`), as JSON for others.",
			},
		},
	);
}

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

/** Makes a value at the first call, and again after more routes are mounted: plugins come later. */
function onceForRoutes<Made>(app: AnyElysia, make: () => Made): () => Made {
	let made: { of: number; value: Made } | undefined;
	return () => {
		const routes = app.router.history.length;
		if (made?.of !== routes) made = { of: routes, value: make() };
		return made.value;
	};
}

async function load(asset: { name: string; type: string; folder: string }): Promise<SwaggerAsset> {
	const { name, type, folder } = asset;
	const body =
		name === START
			? new TextEncoder().encode(openApiStartScript)
			: await Bun.file(join(folder, name)).bytes();
	return { body, gzipped: Bun.gzipSync(body), type, etag: `"${Bun.hash(body).toString(36)}"` };
}

/** Returns GET routes that need no parameters and no credentials. */
function openRoutes({ paths }: OpenApiDocument): Index["routes"] {
	return Object.entries(paths).flatMap(([path, item]) => {
		const { get } = item;
		if (path === "/" || path.includes("{") || !isRecord(get)) return [];
		const { summary, security, parameters = [] } = get;
		const isOpen = Array.isArray(security) && security.length === 0;
		const isBare = Array.isArray(parameters) && parameters.every((one) => one?.required !== true);
		const isListed = DOCUMENTS.some((one) => one.path === path);
		return isOpen && isBare && !isListed ? [{ path, about: `${String(summary)}.` }] : [];
	});
}

function pageOf({ name, version, sandbox, documents, routes }: Index) {
	const list = (links: Index["routes"]) =>
		links.map(({ path, about }) => {
			const to = escapeHtml(path);
			return `<dt><a href="${to}">${to}</a></dt><dd>${escapeHtml(about)}</dd>`;
		});
	const where = sandbox ? " It runs in a sandbox: nothing here is real money." : "";
	const body = `<p>Version ${escapeHtml(version)}.${where}</p>
<h2>What describes it</h2>
<dl>${list(documents).join("\n")}</dl>
<h2>What can be read at once</h2>
<dl>${list(routes).join("\n")}</dl>`;
	return { title: name, body };
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
