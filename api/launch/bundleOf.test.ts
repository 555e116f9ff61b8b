import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { bundleOf as bundleWithin } from "#api/launch/bundleOf.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";

/** Builds as long as it takes: the machine may be busy. */
const bundleOf = (program: "start", bundles: string) =>
	bundleWithin(program, bundles, TEST_LIMIT_MS);

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "tapeline-bundle-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a bundle is built once, and runs from any working directory", async () => {
	const bundles = join(folder, "made");
	const file = bundleOf("start", bundles) ?? "";
	const { ino } = statSync(file);
	expect(bundleOf("start", bundles)).toBe(file);
	expect(statSync(file).ino).toBe(ino);
	expect(readdirSync(bundles).sort()).toEqual([basename(file), `${basename(file)}.jsc`]);
	// Modules that no start needs are not in it: each process would hold them.
	const text = readFileSync(file, "utf8");
	const names = [
		"twitter-api-v2",
		"file-type",
		"import-fresh",
		"zod/v4/locales/fr",
		"graphile-worker",
	];
	const found = names.filter((name) => text.includes(`\n// node_modules/${name}`));
	expect(found).toEqual(["graphile-worker"]);
	const child = Bun.spawn([process.execPath, file, "--help"], { cwd: folder, stdout: "pipe" });
	expect(await new Response(child.stdout).text()).toStartWith("bun run start\n");
	expect(await child.exited).toBe(0);
});

test("an incomplete bundle, as after a power failure, is built again, and runs uncompiled", async () => {
	const bundles = join(folder, "cut");
	const file = bundleOf("start", bundles) ?? "";
	const whole = readFileSync(file);
	for (const left of [Buffer.alloc(0), whole.subarray(0, whole.length / 2)]) {
		writeFileSync(file, left);
		expect(bundleOf("start", bundles)).toBe(file);
		expect(readFileSync(file).equals(whole)).toBe(true);
	}
	// What was compiled of it is a help and no more.
	for (const compiled of [null, Buffer.alloc(0), Buffer.alloc(4_096, 7)]) {
		if (compiled) writeFileSync(`${file}.jsc`, compiled);
		else rmSync(`${file}.jsc`);
		expect(bundleOf("start", bundles)).toBe(file);
		const child = Bun.spawn([process.execPath, file, "--help"], { stdout: "pipe" });
		expect(await new Response(child.stdout).text()).toStartWith("bun run start\n");
		expect(await child.exited).toBe(0);
	}
});

test("a folder that is not writable gives no bundle, and no error", () => {
	const taken = join(folder, "taken");
	writeFileSync(taken, "a file where a folder is wanted");
	expect(bundleOf("start", join(taken, "bundles"))).toBeNull();
});
