import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundle } from "#api/launch/buildBundle.ts";
import { ROOT } from "#api/launch/places.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "tapeline-bundle-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a bundled module's import.meta has its own path, not the bundle's", async () => {
	const file = join(folder, "places.js");
	await buildBundle(join(ROOT, "api/launch/places.ts"), file);
	expect((await import(file)).ROOT).toBe(ROOT);
});

test("only a few old bundles are kept, and the newest is complete", async () => {
	const own = join(folder, "many");
	const old = Array.from({ length: 20 }, (_, index) => join(own, `start-${index}.js`));
	await buildBundle(join(ROOT, "api/launch/places.ts"), join(own, "start-0.js"));
	for (const [index, path] of old.entries()) {
		writeFileSync(path, "");
		utimesSync(path, index, index);
	}
	await buildBundle(join(ROOT, "api/launch/places.ts"), join(own, "start-new.js"));
	const newest = ["start-new.js", "start-new.js.jsc"];
	expect(readdirSync(own).sort()).toEqual(
		[...[13, 14, 15, 16, 17, 18, 19].map((index) => `start-${index}.js`), ...newest].sort(),
	);
});

test("a source that cannot be bundled leaves no files", async () => {
	const source = join(folder, "broken.ts");
	writeFileSync(source, "import { nothing } from './nowhere.ts'; nothing();");
	const file = join(folder, "none", "broken.js");
	expect(await buildBundle(source, file).catch(() => "failed")).toBe("failed");
	expect(readdirSync(join(folder, "none"))).toEqual([]);
});

test("no bundle is kept of sources that changed while they were read", async () => {
	const file = join(folder, "changed", "start-x.js");
	const building = buildBundle(join(ROOT, "api/launch/places.ts"), file, () => false);
	await expect(building).rejects.toThrow();
	expect(readdirSync(join(folder, "changed"))).toEqual([]);
});

test("packages that are loaded later are not bundled, but loaded from where they are installed", async () => {
	const names = ["ai", "@ai-sdk/openai", "@modelcontextprotocol/server"];
	const loads = names.map((name) => `() => import(${JSON.stringify(name)})`);
	// Beside the packages, as every source of ours is.
	const beside = join(ROOT, "node_modules/.cache", `late-${process.pid}.ts`);
	writeFileSync(beside, `export const loads = [${loads}];`);
	try {
		const file = join(folder, "late.js");
		await buildBundle(beside, file);
		expect(Bun.file(file).size).toBeLessThan(4_000);
		const bundled = (await import(file)) as { loads: (() => Promise<object>)[] };
		const [ai, openai, mcp] = await Promise.all(bundled.loads.map((load) => load()));
		expect(ai).toHaveProperty("createUIMessageStream");
		expect(openai).toHaveProperty("createOpenAI");
		expect(mcp).toHaveProperty("createMcpHandler");
	} finally {
		rmSync(beside);
	}
});
