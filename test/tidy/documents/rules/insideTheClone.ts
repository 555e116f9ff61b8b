import { type DocumentRule, linesOf } from "#test/tidy/documents/DocumentRule.ts";

/** Data that is not ours to ship: tests read it where it is, and say so where it is not. */
const DATA = /shared\/data\b/;
const OUTSIDE = /\bshared\/|\bdesign\/(architecture|style|models)/;
/** Where the rule itself, and the file that says what is read from there, name such places. */
const SPEAKS_OF_IT = /^test\/tidy\/documents\/rules\/insideTheClone\.ts$/;

export const insideTheClone: DocumentRule = {
	name: "inside-the-clone",
	why: "whoever has this repository has everything that it speaks of",
	check: (files) =>
		linesOf(files, /\.(ts|tsx|md)$/)
			.filter(
				({ path, text }) => !SPEAKS_OF_IT.test(path) && OUTSIDE.test(text) && !DATA.test(text),
			)
			.map(({ path, line }) => ({
				path,
				line,
				message: "names a document that is not in this repository: say here what it says",
			})),
	bad: [
		[{ path: "core/a.ts", text: "/** design/style.md, rule 4. */" }],
		[{ path: "core/README.md", text: "see ../shared/facts" }],
	],
	good: [[{ path: "core/a.test.ts", text: 'join(root, "../shared/data/logs.json")' }]],
};
