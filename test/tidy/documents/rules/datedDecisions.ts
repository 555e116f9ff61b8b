import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";
import { decisionsOf, holdsDecisions } from "#test/tidy/documents/decisionsOf.ts";
import { DECISIONS_PAGE, listDecisions } from "#test/tidy/documents/listDecisions.ts";

const WRITE = "run `bun test/tidy/documents/listDecisions.ts --write`";

export const datedDecisions: DocumentRule = {
	name: "dated-decisions",
	why: "whoever doubts a decision sees when it was made, and finds all of them on one page",
	check(files) {
		const undated = files
			.filter(({ path }) => holdsDecisions(path))
			.flatMap(decisionsOf)
			.filter(({ date }) => date === undefined)
			.map(({ path, line, title }) => ({
				path,
				line,
				message: `the decision "${title}" has no date: write (YYYY-MM-DD) behind its bold words`,
			}));
		const page = files.find(({ path }) => path === DECISIONS_PAGE)?.text;
		if (undated.length > 0 || page === listDecisions(files)) return undated;
		return [{ path: DECISIONS_PAGE, message: `is not what the READMEs say: ${WRITE}` }];
	},
	bad: [
		[{ path: "core/README.md", text: "## Decisions\n\n**One driver.** Why." }],
		[{ path: "core/README.md", text: "## Decisions: more\n\n- **One\n  driver**, always." }],
		[{ path: "core/README.md", text: "## Decisions\n\n**One driver.** (2026-11-23) Why." }],
	],
	good: [
		dated("**One driver.** (2026-11-23) Why.\n\nMore **words** on it.\n\n## After\n\n**Bold.**"),
	],
};

function dated(text: string) {
	const files = [{ path: "core/README.md", text: `## Decisions\n\n${text}` }];
	return [...files, { path: DECISIONS_PAGE, text: listDecisions(files) }];
}
