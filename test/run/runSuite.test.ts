import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJunit } from "#test/run/junit.ts";
import { runSuite } from "#test/run/runSuite.ts";

const project = join(import.meta.dir, "../..");

/** Runs a project that exists only for this, without types and lint. */
async function suite(
	files: Record<string, string>,
	argv: readonly string[] = ["."],
	{ signal, onLine }: { signal?: AbortSignal; onLine?: (line: string) => void } = {},
) {
	const root = await mkdtemp(join(tmpdir(), "tapeline-suite-"));
	try {
		for (const [path, text] of Object.entries(files)) await Bun.write(join(root, path), text);
		await Bun.write(join(root, "package.json"), '{"imports":{"#test/*":"./test/*"}}');
		await mkdir(join(root, "test/harness"), { recursive: true });
		const helper = "test/harness/skipWithReason.ts";
		await symlink(join(project, helper), join(root, helper));
		const lines: string[] = [];
		const print = (line: string) => {
			lines.push(line);
			onLine?.(line);
		};
		const options = { unitOnly: false, argv, report: "junit.xml", root, print };
		const code = await runSuite(signal ? { ...options, signal } : options);
		const report = Bun.file(join(root, "test/.report/junit.xml"));
		const cases = parseJunit((await report.exists()) ? await report.text() : "");
		const kept = Bun.file(join(root, "test/.report/flaky.json"));
		return { code, lines, cases, kept: (await kept.exists()) ? await kept.json() : null };
	} finally {
		await rm(root, { recursive: true });
	}
}

const passing = 'import { expect, test } from "bun:test";\ntest("ok", () => expect(1).toBe(1));\n';

test("all groups are in one report, and the totals are the last line", async () => {
	const { code, lines, cases } = await suite({
		"core/a.test.ts": passing,
		"test/e2e/b.test.ts": passing,
	});
	expect(code).toBe(0);
	expect(lines.at(-1)).toBe("2 passed, 0 failed, 0 skipped");
	expect(cases.map(({ file }) => file)).toEqual(["core/a.test.ts", "test/e2e/b.test.ts"]);
});

test("a file that does not load is a failure, although bun omits it in its report", async () => {
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

test("a skipped test is printed with its reason, which is in the report too", async () => {
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

test("a run that is interrupted ends at once, and prints that instead of totals", async () => {
	const hangs = `import { test } from "bun:test";
console.log("it began");
test("hangs", () => new Promise(() => setInterval(() => {}, 1_000)));\n`;
	const files = { "core/a.test.ts": hangs, "test/e2e/b.test.ts": passing };
	const stop = new AbortController();
	const onLine = (line: string) => {
		if (line.includes("it began")) stop.abort();
	};
	const { code, lines } = await suite(files, ["."], { signal: stop.signal, onLine });
	expect(code).toBe(130);
	expect(lines.at(-1)).toBe("── interrupted");
	expect(lines.some((line) => line.includes("b.test.ts"))).toBe(false);
});

/** Fails at its first run, as whatever needs a quiet machine does beside others. */
const passesSecond = `import { expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
const runs = import.meta.dir + "/runs";
appendFileSync(runs, "x");
test("rests", () => {});
test("second", () => expect(readFileSync(runs, "utf8").length).toBeGreaterThan(1));\n`;

test("a file that passes in its second run is reported as flaky, and the run passes", async () => {
	const files = { "core/a.test.ts": passesSecond, "core/b.test.ts": passing };
	const { code, lines, cases, kept } = await suite(files);
	expect(code).toBe(0);
	expect(lines.slice(-2)).toEqual([
		"3 passed, 0 failed, 0 skipped",
		"flaky: core/a.test.ts — second",
	]);
	// Of its two runs the second counts, once.
	expect(cases).toHaveLength(3);
	expect(kept).toMatchObject([{ file: "core/a.test.ts", test: "second", times: 1 }]);
});

test("a file that fails twice makes the run fail, and is not called flaky", async () => {
	const fails = 'import { expect, test } from "bun:test";\ntest("bad", () => expect(1).toBe(2));\n';
	const files = { "core/a.test.ts": passesSecond, "core/b.test.ts": fails };
	const { code, lines, kept } = await suite(files);
	expect(code).toBe(1);
	expect(lines).toContain("FAILED   core/b.test.ts > bad");
	expect(lines.slice(-2)).toEqual([
		"2 passed, 1 failed, 0 skipped",
		"flaky: core/a.test.ts — second",
	]);
	expect(kept).toHaveLength(1);
});

test("a file that ended its process gets a second run too", async () => {
	const dies = `import { existsSync, writeFileSync } from "node:fs";
import { test } from "bun:test";
const seen = import.meta.dir + "/seen";
test("lives", () => {
	if (existsSync(seen)) return;
	writeFileSync(seen, "");
	process.exit(3);
});\n`;
	const { code, lines } = await suite({ "core/a.test.ts": dies, "core/b.test.ts": passing });
	expect(code).toBe(0);
	expect(lines.at(-1)).toMatch(/^flaky: core\/a\.test\.ts — /);
});

test("prove gives no second run", async () => {
	const { code, lines, kept } = await suite({ "core/a.test.ts": passesSecond }, ["--prove", "."]);
	expect(code).toBe(1);
	expect(lines.at(-1)).toBe("1 passed, 1 failed, 0 skipped");
	expect(lines[0]).toMatch(/^── TEST_SEED=\d+ bun run prove/);
	expect(kept).toBeNull();
});
