// Serves the page behind a one-time link, and its files.

import { join } from "node:path";
import { Elysia } from "elysia";
import { z } from "zod";
import { assert } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

type PageAsset = { body: string; type: string };

/** The only files that are served: a name from a URL never becomes a path. */
const TYPES: ReadonlyMap<string, string> = new Map([
	["page.html", "text/html; charset=utf-8"],
	["page.css", "text/css; charset=utf-8"],
	["page.js", "text/javascript; charset=utf-8"],
]);
const SCRIPT = "page.js";
const WEB = join(import.meta.dir, "web");

/** Allows only our own files, and no other page to embed this one. */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** Serves the page at which people see what a one-time link asks, and answer it. */
export const linkPagePlugin = definePlugin({
	name: "link-page",
	version: "1",
	config: z.object({}),
	// It asks their routes, from the browser.
	needs: { wallets: WalletsKey },
	setup: () => ({ routes: linkPageRoutes() }),
});

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

/** Finds the page's files, made when they are first asked for and kept. */
function createPageAssets(): { find(name: string): Promise<PageAsset | undefined> } {
	const made = new Map<string, Promise<PageAsset>>();
	return {
		async find(name) {
			const type = TYPES.get(name);
			if (type === undefined) return undefined;
			const asset = made.get(name) ?? load(name, type);
			made.set(name, asset);
			return asset;
		},
	};
}

async function load(name: string, type: string): Promise<PageAsset> {
	if (name !== SCRIPT) return { body: await Bun.file(join(WEB, name)).text(), type };
	const built = await Bun.build({
		entrypoints: [join(WEB, "page.ts")],
		target: "browser",
		format: "esm",
		// Comments go too: they name files.
		minify: { whitespace: true, syntax: true, identifiers: false },
	});
	const [script] = built.outputs;
	assert(script, "the page's script can be built");
	return { body: await script.text(), type };
}
