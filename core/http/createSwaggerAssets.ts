import { dirname, join } from "node:path";
import { openApiStartScript } from "#core/http/openApiStartScript.ts";

export type SwaggerAsset = {
	body: Uint8Array<ArrayBuffer>;
	gzipped: Uint8Array<ArrayBuffer>;
	type: string;
	etag: string;
};

/** The only files that are served: a name from a URL never becomes a path. */
const FILES: Readonly<Record<string, string>> = {
	"swagger-ui.css": "text/css; charset=utf-8",
	"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
	"favicon-32x32.png": "image/png",
};

const START = "start.js";

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

async function load(asset: { name: string; type: string; folder: string }): Promise<SwaggerAsset> {
	const { name, type, folder } = asset;
	const body =
		name === START
			? new TextEncoder().encode(openApiStartScript)
			: await Bun.file(join(folder, name)).bytes();
	return { body, gzipped: Bun.gzipSync(body), type, etag: `"${Bun.hash(body).toString(36)}"` };
}
