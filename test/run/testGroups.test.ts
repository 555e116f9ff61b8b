import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isolatedFiles, testGroups } from "#test/run/testGroups.ts";

const paths = [
	"test/e2e/up.test.ts",
	"core/b.test.ts",
	"core/a.test.ts",
	"test/sandbox/sandbox.test.ts",
	"test/sandbox/feeds/f.test.ts",
	"test/sim/chaos.test.ts",
	"test/sim/node/n.test.ts",
	"test/e2e/oracle/o.test.ts",
	"test/tidy/tidy.test.ts",
];
const all = { only: [], unitOnly: false, prove: false };
const shape = (options: typeof all | { only: string[]; unitOnly: boolean; prove: boolean }) =>
	testGroups(paths, options).map(({ name, files }) => ({ name, files }));

test("unit tests come first, whole systems last, fewer of them at a time", () => {
	expect(shape(all)).toEqual([
		{
			name: "unit",
			files: [
				"core/a.test.ts",
				"core/b.test.ts",
				"test/e2e/oracle/o.test.ts",
				"test/sandbox/feeds/f.test.ts",
				"test/sim/node/n.test.ts",
				"test/tidy/tidy.test.ts",
			],
		},
		{
			name: "systems",
			files: ["test/e2e/up.test.ts", "test/sandbox/sandbox.test.ts", "test/sim/chaos.test.ts"],
		},
	]);
	const [unit, systems] = testGroups(paths, all);
	expect(unit?.workers).toBeGreaterThan(1);
	expect(systems?.workers).toBeLessThanOrEqual(unit?.workers ?? 0);
});

test("unit tests share their modules, except those that change modules", () => {
	const apart = "core/createMemoryLimiter.test.ts";
	const groups = testGroups([...paths, apart], all);
	expect(groups.map(({ name, isolated }) => [name, isolated])).toEqual([
		["unit", false],
		["isolated", true],
		["systems", true],
	]);
	expect(groups[1]?.files).toEqual([apart]);
});

test("each file that is listed for isolation exists", () => {
	expect(isolatedFiles.filter((file) => !existsSync(join(import.meta.dir, "../..", file)))).toEqual(
		[],
	);
});

test("check leaves the whole systems out", () => {
	expect(shape({ ...all, unitOnly: true }).map(({ name }) => name)).toEqual(["unit"]);
});

test("parts of paths choose files", () => {
	expect(shape({ ...all, only: ["core/a", "up"] }).flatMap(({ files }) => files)).toEqual([
		"core/a.test.ts",
		"test/e2e/up.test.ts",
	]);
});

test("a full-length run has a longer time limit", () => {
	const [short] = testGroups(paths, all);
	const [long] = testGroups(paths, { ...all, prove: true });
	expect(long?.timeLimitMs).toBeGreaterThan(short?.timeLimitMs ?? 0);
});
