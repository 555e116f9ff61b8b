import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";
import { linesOf } from "#test/tidy/documents/linesOf.ts";
import { resolvePath } from "#test/tidy/documents/resolvePath.ts";

/** What newcomers read first. */
const ENTRY = /^(ARCHITECTURE|CONTRIBUTING)\.md$/;
/** A path between backticks: with a slash, of letters that paths have. */
const NAMED = /`((?:[\w.-]+\/)+[\w.-]*)`/g;

export const namedFiles: DocumentRule = {
	name: "named-files",
	why: "each stop of a walk-through and each answer to “where is” is a place that is there",
	check(files) {
		const isThere = resolvePath(files);
		return linesOf(files, ENTRY).flatMap(({ path, line, text }) =>
			[...text.matchAll(NAMED)].flatMap(([, target = ""]) =>
				isThere(target, path)
					? []
					: [{ path, line, message: `names ${target}, which is not there: name what is` }],
			),
		);
	},
	bad: [
		[{ path: "ARCHITECTURE.md", text: "| the gate | `core/http/gone.ts` |" }],
		[
			{ path: "CONTRIBUTING.md", text: "`http/gon.ts`" },
			{ path: "core/http/gone.ts", text: "" },
		],
	],
	good: [
		[
			{ path: "ARCHITECTURE.md", text: "`core/http/gate.ts`, `http/gate.ts`, `core/http/`, `x`" },
			{ path: "core/http/gate.ts", text: "" },
		],
	],
};
