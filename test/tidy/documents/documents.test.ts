import { describe, expect, test } from "bun:test";
import { type DocumentRule, moduleArrows, textFiles } from "#test/tidy/documents/DocumentRule.ts";
import { withModules } from "#test/tidy/documents/drawModules.ts";
import { insideTheClone } from "#test/tidy/documents/rules/insideTheClone.ts";
import { links, namedFiles, namedFolders, namedPlugins } from "#test/tidy/documents/rules/names.ts";
import { datedDecisions, glossary, requirements } from "#test/tidy/documents/rules/words.ts";
import { projectFiles } from "#test/tidy/readSourceFile.ts";

/** The rules for what people read; `tidy/rules.ts` has those for code. */
const documentRules: readonly DocumentRule[] = [
	links,
	namedFiles,
	namedFolders,
	namedPlugins,
	glossary,
	requirements,
	datedDecisions,
	insideTheClone,
];

const PROBLEMS_SHOWN_MAX = 40;
const files = textFiles();

describe("documents say what is there", () => {
	test("the rules find documents to check", () => {
		expect(files.length).toBeGreaterThan(20);
	});
	for (const { name, why, check } of documentRules) {
		test(`${name}: ${why}`, () => {
			const problems = check(files).map(
				({ path, line = 1, message }) => `${path}:${line} ${message}`,
			);
			expect(problems.slice(0, PROBLEMS_SHOWN_MAX)).toEqual([]);
		});
	}
	test("the module diagram has exactly the arrows of the imports", async () => {
		const page = files.find(({ path }) => path === "ARCHITECTURE.md")?.text ?? "";
		const arrows = moduleArrows(await projectFiles());
		expect(arrows.length).toBeGreaterThan(5);
		expect(page).toContain("```mermaid");
		// Else: `bun test/tidy/documents/drawModules.ts --write`.
		expect(page).toBe(withModules(page, arrows));
	});
});

describe("every rule for documents can fail", () => {
	for (const { name, check, bad, good } of documentRules) {
		test(name, () => {
			expect(bad.length).toBeGreaterThan(0);
			for (const sample of bad) expect(check(sample)).not.toEqual([]);
			for (const sample of good) expect(check(sample)).toEqual([]);
		});
	}
	test("a missing arrow changes the page", () => {
		const page = "<!-- modules: x -->\n<!-- /modules -->";
		const drawn = withModules(page, [["a", "b"]]);
		expect(drawn).toContain("a --> b");
		expect(withModules(drawn, [["a", "b"]])).toBe(drawn);
		expect(withModules(drawn, [["a", "c"]])).not.toBe(drawn);
	});
});
