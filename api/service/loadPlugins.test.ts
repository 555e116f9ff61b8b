import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { loadPlugins } from "#api/service/loadPlugins.ts";
import type { Fault } from "#core/fault/Fault.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "tapeline-plugins-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function module(name: string, text: string): string {
	const file = join(folder, name);
	writeFileSync(file, text);
	return file;
}

const names = async (modules: string[], disabled: string[] = []) =>
	(await loadPlugins(modules, disabled)).map(({ name }) => name);
const refusal = (modules: string[], disabled: string[] = []): Promise<Fault> =>
	loadPlugins(modules, disabled).then(
		() => expect.unreachable(),
		(error) => error,
	);
const builtin = builtinPlugins.map(({ name }) => name);

test("what ships is loaded, without what the operator leaves out", async () => {
	expect(await names([])).toEqual(builtin);
	const [first = ""] = builtin;
	expect(await names([], [first])).toEqual(builtin.slice(1));
});

test("a third party's module is loaded by its path, after what ships, under any export", async () => {
	const text = `export const anything = { name: "theirs", setup: () => ({}) }; export const other = 7;`;
	const file = module("theirs.ts", text);
	expect(await names([file])).toEqual([...builtin, "theirs"]);
	expect(await names([`./${relative(process.cwd(), file)}`])).toEqual([...builtin, "theirs"]);
});

test("a module without a plugin is refused by name", async () => {
	const exports = [
		"",
		"export const a = 1;",
		"export const b = { name: 'x' };",
		"export const c = null;",
	];
	for (const [index, text] of exports.entries()) {
		const file = module(`none${index}.ts`, text);
		const failed = await refusal([file]);
		expect(failed).toMatchObject({ code: "plugin_module", retry: "never" });
		expect(failed.publicDetail).toContain(`"${file}" exports no plugin`);
	}
});

test("a module that is not there, or fails while it loads, is refused with the reason", async () => {
	const missing = await refusal(["tapeline-plugin-that-is-not-there"]);
	expect(missing.publicDetail).toContain('"tapeline-plugin-that-is-not-there" does not load');
	const broken = await refusal([module("broken.ts", `throw new Error("its own trouble");`)]);
	expect(broken.publicDetail).toContain("its own trouble");
});

test("leaving out what is not built in is refused, with the names there are", async () => {
	const failed = await refusal([], ["chain-scaner"]);
	expect(failed.publicDetail).toContain("chain-scaner");
	expect(failed.publicDetail).toContain(builtin.join(", "));
});
