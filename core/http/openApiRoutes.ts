import { type AnyElysia, Elysia } from "elysia";
import { createSwaggerAssets } from "#core/http/createSwaggerAssets.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { openApiDocument } from "#core/http/openApiDocument.ts";
import { openApiPage } from "#core/http/openApiPage.ts";

/** Only our own files. Images also as `data:`, which Swagger UI's style sheet contains. */
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

/** The API's own description, for programs (`/openapi/json`) and for people (`/openapi`). */
export function openApiRoutes(options: {
	app: AnyElysia;
	version: string;
	sandbox: boolean;
	publicUrl?: string | undefined;
}) {
	const assets = createSwaggerAssets();
	const hidden = { detail: { hide: true } };
	let document: { text: string; routes: number } | undefined;
	return new Elysia()
		.get(
			"/openapi/json",
			() => {
				// Made when it is first asked for: plugins mount their routes after this one.
				const routes = options.app.router.history.length;
				if (document?.routes !== routes) {
					document = { text: JSON.stringify(openApiDocument(options)), routes };
				}
				return new Response(document.text, { headers: { "content-type": "application/json" } });
			},
			hidden,
		)
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
