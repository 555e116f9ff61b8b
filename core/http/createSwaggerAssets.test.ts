import { expect, test } from "bun:test";
import { createSwaggerAssets } from "#core/http/createSwaggerAssets.ts";

const assets = createSwaggerAssets();

for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "start.js"]) {
	test(`${name} is there, the same each time, with a packed copy`, async () => {
		const asset = await assets.find(name);
		expect(asset?.body.byteLength).toBeGreaterThan(100);
		expect(asset && Bun.gunzipSync(asset.gzipped)).toEqual(asset?.body);
		expect(asset?.etag).toMatch(/^"[0-9a-z]+"$/);
		expect(await assets.find(name)).toBe(asset);
	});
}

// Guarantee: a name from a URL never reaches the file system.
for (const name of ["", "../package.json", "swagger-ui.js", "toString", "__proto__", "START.JS"]) {
	test(`${JSON.stringify(name)} is not`, async () => {
		expect(await assets.find(name)).toBeUndefined();
	});
}
