import { type AnyElysia, Elysia } from "elysia";
import { asyncApiDocument } from "#core/http/asyncapi/asyncApiDocument.ts";
import { canBeCached } from "#core/http/canBeCached.ts";
import { createSwaggerAssets } from "#core/http/createSwaggerAssets.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { indexRoutes } from "#core/http/indexRoutes.ts";
import { openApiDocument } from "#core/http/openApiDocument.ts";
import { openApiPage } from "#core/http/openApiPage.ts";
import { problemRoutes } from "#core/http/problems/problemRoutes.ts";

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
	return new Elysia()
		.use(indexRoutes({ ...options, document: openApi }))
		.use(problemRoutes())
		.get("/openapi/json", () => json(openApiText()), cached)
		.get("/asyncapi/json", () => json(asyncApiText()), cached)
		.get(
			"/openapi",
			() =>
				new Response(openApiPage, {
					headers: {
						"content-type": "text/html; charset=utf-8",
						"content-security-policy": POLICY,
						"cache-control": "no-cache",
					},
				}),
			hidden,
		)
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
		);
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
