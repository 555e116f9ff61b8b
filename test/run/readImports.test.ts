import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readImports } from "#test/run/testsOfChanged.ts";

test("a module's imports are read, without packages and types", async () => {
	const root = await mkdtemp(join(tmpdir(), "tapeline-imports-"));
	try {
		const text = `import type { T } from "#core/t.ts";
import { z } from "zod";
import { b } from "#core/b.ts";
import { c } from "../c.ts";
export { d } from "./d.ts";
const late = await import("#core/e.ts");
console.log(b, c, z, late as T);`;
		await Bun.write(join(root, "core/a/a.ts"), text);
		const found = (await readImports(root)).get("core/a/a.ts");
		expect(found?.toSorted()).toEqual(["core/a/d.ts", "core/b.ts", "core/c.ts", "core/e.ts"]);
	} finally {
		await rm(root, { recursive: true });
	}
});

test("every import of this project resolves to a file", async () => {
	const root = join(import.meta.dir, "../..");
	const targets = new Set([...(await readImports(root)).values()].flat());
	expect([...targets].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
