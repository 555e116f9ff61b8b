import { eachFile } from "#test/tidy/eachFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";

const COLUMNS_MAX = 100;

/** As Biome counts it. */
const TAB_COLUMNS = 2;

/** A hash or a URL cannot be broken, and neither can a line of a readable ABI. */
const UNBREAKABLE_LENGTH_MIN = 60;

/** Biome breaks code; this is for what it leaves alone, comments above all. */
export const lineWidth: Rule = {
	name: "line-width",
	why: "two files fit beside each other on one screen",
	check: eachFile(({ text, code }) => {
		const codeLines = code.split("\n");
		return text.split("\n").flatMap((line, index) => {
			const columns = line.replaceAll("\t", " ".repeat(TAB_COLUMNS)).length;
			if (columns <= COLUMNS_MAX || isUnbreakable(line)) return [];
			// A sentence stays whole, so that whoever reads it in a log finds it in the code.
			const isSentence = hasLongLiteral(line, codeLines[index] ?? "");
			return isSentence ? [] : [{ line: index + 1, message: `has ${columns} columns` }];
		});
	}),
	bad: [
		[{ path: "core/a.ts", text: `// ${"word ".repeat(20)}` }],
		[{ path: "core/a.ts", text: `const a = ${"word + ".repeat(20)}b;` }],
		[{ path: "core/a.test.ts", text: `// ${"word ".repeat(20)}` }],
	],
	good: [
		[{ path: "core/a.ts", text: `// ${"word ".repeat(19)}` }],
		[{ path: "core/a.ts", text: `const a = "${"word ".repeat(20)}";` }],
		[{ path: "core/a.ts", text: `const hash = "0x${"a".repeat(120)}";` }],
		[{ path: "core/a.ts", text: `\t"event Sale(${"address who, ".repeat(20)})",` }],
		[{ path: "core/a.test.ts", text: `test("${"word ".repeat(20)}", () => {});` }],
	],
};

function isUnbreakable(line: string): boolean {
	if (/^\s*["'`](function|event|error|struct|constructor)\b/.test(line)) return true;
	return line.split(/\s+/).some((word) => word.length >= UNBREAKABLE_LENGTH_MIN);
}

/** In the text, where a template holds expressions; in the code, where literals are blank. */
function hasLongLiteral(line: string, code: string): boolean {
	const isMarkup = /^\s*<.*>$/.test(line);
	return isMarkup || /(["'`/]) {30,}\1/.test(code) || /`[^`]{40,}`/.test(line);
}
