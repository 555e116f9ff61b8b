import { Elysia } from "elysia";
import { httpFault } from "#core/http/faults.ts";
import { createPageAssets } from "#plugins/link-page/createPageAssets.ts";

/** Only our own files, and nobody may put the page into theirs. */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/**
 * Serves the page that people get to by a link. It is the same for every token, and its script asks
 * what the link is about: whoever only fetches the page (a preview) uses nothing up.
 */
export function linkPageRoutes() {
	const assets = createPageAssets();
	const hidden = { detail: { hide: true } };
	const answer = async (name: string) => {
		const asset = await assets.find(name);
		if (!asset) throw httpFault.notFound();
		return new Response(asset.body, {
			headers: {
				"content-type": asset.type,
				"content-security-policy": POLICY,
				"cache-control": "no-store",
				"referrer-policy": "no-referrer",
				"x-frame-options": "DENY",
			},
		});
	};
	return new Elysia()
		.get("/links/:token", () => answer("page.html"), hidden)
		.get("/links/assets/:file", ({ params }) => answer(params.file), hidden);
}
