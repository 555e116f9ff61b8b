import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";
import { linesOf } from "#test/tidy/documents/linesOf.ts";
import { resolvePath } from "#test/tidy/documents/resolvePath.ts";

/** A link to a file of the project; anchors are left to the reader's program. */
const LINK = /\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)/g;

export const links: DocumentRule = {
	name: "links",
	why: "a reader who follows a link arrives",
	check(files) {
		const isThere = resolvePath(files);
		return linesOf(files, /\.md$/).flatMap(({ path, line, text }) =>
			[...text.matchAll(LINK)].flatMap(([, target = ""]) =>
				isThere(target, path)
					? []
					: [{ path, line, message: `links to ${target}, which is not there: name what is` }],
			),
		);
	},
	bad: [[{ path: "README.md", text: "see [this](core/missing.md)" }]],
	good: [
		[
			{ path: "core/README.md", text: "[a](x.ts) [b](https://example.org/y) [c](x.ts#top)" },
			{ path: "core/x.ts", text: "" },
		],
	],
};
