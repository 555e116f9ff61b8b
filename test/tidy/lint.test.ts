import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const folder = await mkdtemp(join(tmpdir(), "tapeline-lint-"));
afterAll(() => rm(folder, { recursive: true }));

const longFunction = `export function long() {\n${"\tcall();\n".repeat(80)}}\n`;
const banned: Record<string, string> = {
	noExplicitAny: "export const a = (b: any) => b;\n",
	noNonNullAssertion: "export const a = (b: string | null) => b!.length;\n",
	noDefaultExport: "export default 1;\n",
	noBarrelFile: 'export * from "./other.ts";\n',
	noUnusedImports: 'import { z } from "zod";\nexport const a = 1;\n',
	useImportType: 'import { z } from "zod";\nexport type A = z.ZodType;\n',
	noExcessiveLinesPerFunction: longFunction,
	noFocusedTests: 'import { test } from "bun:test";\ntest.only("a", () => {});\n',
};

for (const [rule, text] of Object.entries(banned)) {
	await Bun.write(join(folder, "core", `${rule}.ts`), text);
}
await Bun.write(join(folder, "core/relaxed.test.ts"), longFunction + banned.noNonNullAssertion);
await Bun.write(join(folder, "plugins/a/migrations/ignored.ts"), "export default 1;\n");
await Bun.write(join(folder, "core/wide.ts"), `export const a = [${"100, ".repeat(30)}];\n`);
const said = await lint();

describe("Biome refuses", () => {
	for (const rule of Object.keys(banned)) {
		test(rule, () => {
			expect(said).toContainEqual({ path: `core/${rule}.ts`, rule, severity: "error" });
		});
	}

	test("a file that is not formatted", () => {
		expect(said).toContainEqual({ path: "core/wide.ts", rule: "format", severity: "error" });
	});
});

test("long cases and `!` are allowed in tests, and migrations are not checked for style", () => {
	const paths = said.map(({ path }) => path);
	expect(paths).toContain("core/noExplicitAny.ts");
	expect(paths).not.toContain("core/relaxed.test.ts");
	expect(paths).not.toContain("plugins/a/migrations/ignored.ts");
});

type Said = { path: string; rule: string; severity: string };

async function lint(): Promise<Said[]> {
	const child = Bun.spawn(
		[
			process.execPath,
			join(root, "node_modules/@biomejs/biome/bin/biome"),
			"check",
			`--config-path=${join(root, "test/tidy/lint.json")}`,
			"--reporter=json",
			"--max-diagnostics=none",
			".",
		],
		{ cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "ignore" },
	);
	const report = JSON.parse(await new Response(child.stdout).text());
	return report.diagnostics.map(
		({
			category,
			severity,
			location,
		}: {
			category: string;
			severity: string;
			location: { path: string };
		}) => ({
			path: location.path,
			rule: category.split("/").at(-1) ?? "",
			severity,
		}),
	);
}
