import { join } from "node:path";
import {
	decisionsOf,
	holdsDecisions,
	type TextFile,
	textFiles,
} from "#test/tidy/documents/DocumentRule.ts";

export const DECISIONS_PAGE = "DECISIONS.md";

const HEAD = `# Decisions

Every decision that ruled something out, by the README that says why, what it costs and what would
reopen it. This page is written by \`bun test/tidy/documents/listDecisions.ts --write\`.
`;

/** Answers the index of all decisions: a section for each README that has some. */
export function listDecisions(files: readonly TextFile[]): string {
	const sections = files
		.filter(({ path }) => holdsDecisions(path))
		.flatMap((file) => {
			const decisions = decisionsOf(file);
			if (decisions.length === 0) return [];
			const rows = decisions.map(({ title, date }) => `- ${date}: ${title}`);
			return [
				`\n## [${file.path.replace(/\/?(README|DECISIONS)\.md$/, "")}](${file.path})\n\n${rows.join("\n")}\n`,
			];
		});
	return HEAD + sections.join("");
}

if (import.meta.main && process.argv.includes("--write")) {
	await Bun.write(join(import.meta.dir, "../../..", DECISIONS_PAGE), listDecisions(textFiles()));
}
