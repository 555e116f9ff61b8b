import { expect, test } from "bun:test";
import { testGroups } from "#test/run/testGroups.ts";

const paths = [
	"test/e2e/up.test.ts",
	"core/b.test.ts",
	"core/a.test.ts",
	"test/sandbox/world.test.ts",
	"test/tidy/tidy.test.ts",
];
const all = { only: [], unitOnly: false, prove: false };
const shape = (options: typeof all | { only: string[]; unitOnly: boolean; prove: boolean }) =>
	testGroups(paths, options).map(({ name, files }) => ({ name, files }));

test("unit tests come first, whole systems last, fewer of them at a time", () => {
	expect(shape(all)).toEqual([
		{ name: "unit", files: ["core/a.test.ts", "core/b.test.ts", "test/tidy/tidy.test.ts"] },
		{ name: "systems", files: ["test/e2e/up.test.ts", "test/sandbox/world.test.ts"] },
	]);
	const [unit, systems] = testGroups(paths, all);
	expect(unit?.workers).toBeGreaterThan(1);
	expect(systems?.workers).toBeLessThanOrEqual(unit?.workers ?? 0);
});

test("check leaves the whole systems out", () => {
	expect(shape({ ...all, unitOnly: true }).map(({ name }) => name)).toEqual(["unit"]);
});

test("parts of paths choose files", () => {
	expect(shape({ ...all, only: ["core/a", "e2e"] }).flatMap(({ files }) => files)).toEqual([
		"core/a.test.ts",
		"test/e2e/up.test.ts",
	]);
});

test("the full length has more time", () => {
	const [short] = testGroups(paths, all);
	const [long] = testGroups(paths, { ...all, prove: true });
	expect(long?.timeLimitMs).toBeGreaterThan(short?.timeLimitMs ?? 0);
});
