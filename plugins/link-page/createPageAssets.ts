import { join } from "node:path";
import { assert } from "#core/fault.ts";

export type PageAsset = { body: string; type: string };

/** The only files that are served: a name from a URL never becomes a path. */
const TYPES: ReadonlyMap<string, string> = new Map([
	["page.html", "text/html; charset=utf-8"],
	["page.css", "text/css; charset=utf-8"],
	["page.js", "text/javascript; charset=utf-8"],
]);
const SCRIPT = "page.js";
const WEB = join(import.meta.dir, "web");

/** Finds the page's files, made when they are first asked for and kept. */
export function createPageAssets(): { find(name: string): Promise<PageAsset | undefined> } {
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
