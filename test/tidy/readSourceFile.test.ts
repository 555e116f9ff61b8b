import { expect, test } from "bun:test";
import { readSourceFile } from "#test/tidy/readSourceFile.ts";

const read = (text: string) => readSourceFile("core/a/x.ts", text);

test("comments, texts, templates and patterns are blanked, and everything else keeps its position", () => {
	const text = [
		'const a = "it\'s // no comment"; // a comment',
		"const b = /[/\"']+/g.test(a) ? 6 / 2 / 1 : 0;",
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the text is a program.
		"const c = `one ${nested(`two ${{ x: 1 }.x} }`)} three`;",
		"/* block",
		"   comment */ const d = 1;",
	].join("\n");
	const { code } = read(text);
	expect(code).toHaveLength(text.length);
	for (const gone of ["it's", "comment", "[/", "one", "two", "three", "block"]) {
		expect(code).not.toContain(gone);
	}
	for (const kept of [
		"const b =",
		".test(a) ? 6 / 2 / 1 : 0;",
		"nested(",
		"{ x: 1 }.x",
		"const d",
	]) {
		expect(code).toContain(kept);
		expect(code.indexOf(kept)).toBe(text.indexOf(kept));
	}
});

test("imports are found in every form, with their target", () => {
	const { imports } = read(`import { a } from "#core/b/y.ts";
import type { B } from "../c/z.ts";
import "./side.ts";
export { d } from "#core/d.ts";
const e = await import("#core/e.ts");
import zod, { type z } from "zod";
const no = Array.from("x"), never = 'import "q.ts"';`);
	expect(imports.map(({ target, typeOnly, line }) => [target, typeOnly, line])).toEqual([
		["core/b/y.ts", false, 1],
		["core/c/z.ts", true, 2],
		["core/a/side.ts", false, 3],
		["core/d.ts", false, 4],
		["core/e.ts", false, 5],
		[undefined, false, 6],
	]);
});

test("exports are found in every form that the project uses", () => {
	const { exports } = read(`export const a = 1;
export async function b() {}
export class C {}
export type D = 1;
export { e, f as g };
// export const no = 1;`);
	expect(exports.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
		"value a",
		"value b",
		"value C",
		"type D",
		"value e",
		"value g",
	]);
});
