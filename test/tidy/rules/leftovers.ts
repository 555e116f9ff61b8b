import { eachFile } from "#test/tidy/eachFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";

const MARKS = /\b(?:TODO|FIXME|XXX|HACK)\b/;
const SILENCERS = /@ts-(?:ignore|nocheck)\b|biome-ignore-(?:all|start)\b/;

export const leftovers: Rule = {
	name: "leftovers",
	why: "a note to ourselves is an issue nobody will read; a silenced checker checks nothing",
	check: eachFile(({ comments }) =>
		comments.flatMap(({ line, text }) => {
			if (MARKS.test(text)) return [{ line, message: "do it now, or open an issue" }];
			if (!SILENCERS.test(text)) return [];
			return [{ line, message: "@ts-expect-error or biome-ignore, for one line, with the reason" }];
		}),
	),
	bad: [
		[{ path: "core/a.ts", text: "// TODO: later" }],
		[{ path: "core/a.ts", text: "/** FIXME */" }],
		[{ path: "core/a.ts", text: "// @ts-ignore" }],
		[{ path: "core/a.ts", text: "/* @ts-nocheck */" }],
	],
	good: [
		[{ path: "core/a.ts", text: 'const text = "TODO";' }],
		[{ path: "core/a.ts", text: "// @ts-expect-error: the wrong type is the test" }],
	],
};
