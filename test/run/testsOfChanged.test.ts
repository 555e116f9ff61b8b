import { describe, expect, test } from "bun:test";
import { changedFiles, testsOfChanged } from "#test/run/testsOfChanged.ts";

describe("changedFiles", () => {
	/** Answers what is written down for these arguments; all else fails. */
	function scripted(answers: Record<string, string>) {
		return async (args: readonly string[]) => answers[args.join(" ")] ?? null;
	}

	const DIFF = "diff --name-only --diff-filter=d";
	const ADDED = "ls-files --others --exclude-standard";

	test("the changed files are those committed on the branch, changed since, and new", async () => {
		const git = scripted({
			"merge-base HEAD main": "abc\n",
			[`${DIFF} abc`]: "core/b.ts\ncore/a.ts\n",
			[ADDED]: "core/c.test.ts\ncore/a.ts\n",
		});
		expect(await changedFiles(git)).toEqual(["core/a.ts", "core/b.ts", "core/c.test.ts"]);
	});

	test("the remote's branch is used first, and without any branch the last commit", async () => {
		const remote = scripted({
			"merge-base HEAD origin/main": "def\n",
			"merge-base HEAD main": "abc\n",
			[`${DIFF} def`]: "core/a.ts\n",
			[ADDED]: "",
		});
		expect(await changedFiles(remote)).toEqual(["core/a.ts"]);
		expect(await changedFiles(scripted({ [`${DIFF} HEAD`]: "", [ADDED]: "" }))).toEqual([]);
	});

	test("the changed files are unknown without git", async () => {
		expect(await changedFiles(scripted({}))).toBeNull();
	});
});

describe("testsOfChanged", () => {
	const imports = new Map<string, string[]>([
		["core/a/readX.ts", []],
		["core/a/readX.bounds.test.ts", []],
		["core/a/useX.ts", ["core/a/readX.ts"]],
		["core/b/far.test.ts", ["core/a/useX.ts"]],
		["core/b/other.test.ts", []],
		["plugins/p/plugin.ts", ["core/b/y.ts"]],
		["plugins/p/plugin.test.ts", ["plugins/p/plugin.ts"]],
		["plugins/p/sql/read.ts", []],
		["plugins/p/sql/read.test.ts", ["plugins/p/sql/read.ts"]],
		["api/builtinPlugins.ts", ["plugins/p/plugin.ts"]],
		["test/e2e/all.test.ts", ["api/builtinPlugins.ts"]],
		["test/tidy/tidy.test.ts", []],
	]);
	const tests = [...imports.keys()].filter((path) => path.endsWith(".test.ts"));
	const of = (...changed: string[]) =>
		testsOfChanged(tests, { changed, imports }).filter((path) => path !== "test/tidy/tidy.test.ts");

	test("tests that import a changed file run, however indirectly, and those named after it", () => {
		expect(of("core/a/readX.ts")).toEqual(["core/a/readX.bounds.test.ts", "core/b/far.test.ts"]);
	});

	test("a test that changed runs, and the rules of style always do", () => {
		expect(of("core/b/other.test.ts")).toEqual(["core/b/other.test.ts"]);
		expect(testsOfChanged(tests, { changed: [], imports })).toEqual(["test/tidy/tidy.test.ts"]);
	});

	test("a plugin's change selects no test of the whole service, and a change of the list of plugins does", () => {
		expect(of("plugins/p/plugin.ts")).toEqual(["plugins/p/plugin.test.ts"]);
		expect(of("api/builtinPlugins.ts")).toEqual(["test/e2e/all.test.ts"]);
	});

	test("a file that is no module selects the tests of the modules beside and above it", () => {
		expect(of("plugins/p/sql/read.sql")).toEqual([
			"plugins/p/plugin.test.ts",
			"plugins/p/sql/read.test.ts",
		]);
		expect(of("plugins/p/README.md")).toEqual([]);
	});

	test("another version of a package can select every test", () => {
		expect(of("bun.lock")).toEqual(tests.slice(0, -1));
	});
});
