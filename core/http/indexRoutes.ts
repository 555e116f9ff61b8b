import { Elysia } from "elysia";
import { z } from "zod";
import type { OpenApiDocument } from "#core/http/openApiDocument.ts";
import { field } from "#core/http/openapi/field.ts";
import { isRecord } from "#core/http/openapi/isRecord.ts";
import { escapeHtml } from "#core/http/pages/escapeHtml.ts";
import { pageResponse } from "#core/http/pages/pageResponse.ts";
import { wantsHtml } from "#core/http/pages/wantsHtml.ts";

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
	{ path: "/openapi", about: "Every route, to read and to try." },
	{
		path: "/openapi/json",
		about: "The same for programs, as OpenAPI 3.1: clients are made of it.",
	},
	{ path: "/asyncapi/json", about: "WebSocket streams and webhooks, as AsyncAPI 3." },
	{ path: "/problems", about: "Every code of an error: what it means and what to do." },
];

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
				operationId: "getIndex",
				tags: ["operations"],
				summary: "Says where to go",
				description: "As a page for browsers (`Accept: text/html`), as JSON for others.",
			},
		},
	);
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
