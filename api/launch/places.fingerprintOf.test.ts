import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fingerprintOf } from "#api/launch/places.ts";

let root: string;
beforeAll(() => {
	root = mkdtempSync(join(tmpdir(), "tapeline-print-"));
	mkdirSync(join(root, "core/deep"), { recursive: true });
	mkdirSync(join(root, "core/testing"));
	writeFileSync(join(root, "bun.lock"), "1");
	writeFileSync(join(root, "core/deep/a.ts"), "a");
	writeFileSync(join(root, "core/b.ts"), "b");
});
afterAll(() => rmSync(root, { recursive: true }));

const print = () => fingerprintOf(root, { folders: ["core"], files: ["bun.lock"] });

test("the fingerprint changes with the content of every source and every locked version", () => {
	const seen = new Set([print()]);
	for (const [path, text] of [
		["core/deep/a.ts", "b"],
		["core/b.ts", "a"],
		["core/c.ts", ""],
		["bun.lock", "2"],
	] as const) {
		writeFileSync(join(root, path), text);
		seen.add(print());
	}
	rmSync(join(root, "core/c.ts"));
	seen.add(print());
	expect(seen.size).toBe(6);
});

test("the fingerprint does not change with tests, nor with the times of files", () => {
	const before = print();
	writeFileSync(join(root, "core/b.test.ts"), "x");
	writeFileSync(join(root, "core/testing/lab.ts"), "x");
	writeFileSync(join(root, "core/README.md"), "x");
	utimesSync(join(root, "core/b.ts"), 1, 1);
	expect(print()).toBe(before);
});

test("the fingerprint differs for a copy in another folder, because a bundle has absolute paths", () => {
	const copy = `${root}-copy`;
	cpSync(root, copy, { recursive: true });
	const files = { folders: ["core"], files: ["bun.lock"] };
	expect(fingerprintOf(copy, files)).not.toBe(fingerprintOf(root, files));
	rmSync(copy, { recursive: true });
});
