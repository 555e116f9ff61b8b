import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJunit } from "#test/run/parseJunit.ts";
import { runSuite } from "#test/run/runSuite.ts";

const project = join(import.meta.dir, "../..");

/** Runs a project that exists only for this, without types and lint. */
async function suite(files: Record<string, string>) {
	const root = await mkdtemp(join(tmpdir(), "tapeline-suite-"));
	try {
		for (const [path, text] of Object.entries(files)) await Bun.write(join(root, path), text);
		await Bun.write(join(root, "package.json"), '{"imports":{"#test/*":"./test/*"}}');
		await mkdir(join(root, "test/harness"), { recursive: true });
		const helper = "test/harness/skipWithReason.ts";
		await symlink(join(project, helper), join(root, helper));
		const lines: string[] = [];
		const options = { unitOnly: false, argv: ["."], report: "junit.xml", root };
		const code = await runSuite({ ...options, print: (line) => lines.push(line) });
		const cases = parseJunit(await Bun.file(join(root, "test/.report/junit.xml")).text());
		return { code, lines, cases };
	} finally {
		await rm(root, { recursive: true });
	}
}

const passing = 'import { expect, test } from "bun:test";\ntest("ok", () => expect(1).toBe(1));\n';

test("all groups land in one report, and the totals are the last line", async () => {
	const { code, lines, cases } = await suite({
		"core/a.test.ts": passing,
		"test/e2e/b.test.ts": passing,
	});
	expect(code).toBe(0);
	expect(lines.at(-1)).toBe("2 passed, 0 failed, 0 skipped");
	expect(cases.map(({ file }) => file)).toEqual(["core/a.test.ts", "test/e2e/b.test.ts"]);
});

test("a file that does not load is a failure, though bun leaves it out of its report", async () => {
	const { code, lines, cases } = await suite({
		"core/a.test.ts": passing,
		"core/b.test.ts": 'throw new Error("does not load");\n',
	});
	expect(code).toBe(1);
	expect(lines.at(-1)).toBe("1 passed, 1 failed, 0 skipped");
	expect(cases).toContainEqual(
		expect.objectContaining({ file: "core/b.test.ts", outcome: "failed" }),
	);
	const failed = lines.indexOf("FAILED   core/b.test.ts > unit > the file loads and has tests");
	expect(lines[failed + 1]?.trim()).toBe("error: does not load");
});

test("an error between tests fails the run", async () => {
	const { code, lines } = await suite({
		"core/a.test.ts": `${passing}import { afterAll } from "bun:test";\nafterAll(() => { throw new Error("late"); });\n`,
	});
	expect(code).toBe(1);
	expect(lines.at(-1)).toMatch(/^\d passed, [1-9] failed, 0 skipped$/);
});

test("a skipped test is printed with its reason, and the report has it too", async () => {
	const { code, lines, cases } = await suite({
		"core/a.test.ts": `${passing}import { skipWithReason } from "#test/harness/skipWithReason.ts";
skipWithReason("there are no logs")("real logs", () => {});
skipWithReason(null)("runs", () => {});\n`,
	});
	expect(code).toBe(0);
	expect(lines).toContain("skipped  core/a.test.ts > real logs: there are no logs");
	expect(lines.at(-1)).toBe("2 passed, 0 failed, 1 skipped");
	expect(cases.find(({ name }) => name === "real logs")?.detail).toBe("there are no logs");
});

test("a project without a test fails", async () => {
	const { code, lines } = await suite({});
	expect(code).toBe(1);
	expect(lines.at(-1)).toBe("0 passed, 0 failed, 0 skipped");
});
