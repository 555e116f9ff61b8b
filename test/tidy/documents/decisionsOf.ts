import type { TextFile } from "#test/tidy/documents/TextFile.ts";

/** One decision of a README: its first words in bold, and the day it was made. */
export type Decision = { path: string; line: number; title: string; date: string | undefined };

/** A heading that begins a section of decisions, and one that ends it. */
const HEADING = /^(#+) (Decisions\b.*)?/;
/** `**What was chosen.** (2026-11-23) Why, …`, as a paragraph or as a point of a list. */
const ENTRY = /^(?:- )?\*\*([\s\S]+?)\*\*(?: \((\d{4}-\d\d-\d\d)\))?/;

/** Whether a document may hold decisions: a README, or the page of them beside one. */
export function holdsDecisions(path: string): boolean {
	return path.endsWith("README.md") || path.endsWith("/DECISIONS.md");
}

/** Answers the decisions of a README, in their order. */
export function decisionsOf({ path, text }: TextFile): Decision[] {
	const lines = text.split("\n");
	let depth = 0;
	return lines.flatMap((line, at) => {
		const [, marks = "", words] = HEADING.exec(line) ?? [];
		if (marks !== "" && words !== undefined) depth = marks.length;
		else if (marks !== "" && marks.length <= depth) depth = 0;
		if (depth === 0 || !startsParagraph(lines, at)) return [];
		const [, title, date] = ENTRY.exec(lines.slice(at, at + 4).join("\n")) ?? [];
		if (title === undefined) return [];
		return [{ path, line: at + 1, title: title.replace(/\s+/g, " ").replace(/[.:]$/, ""), date }];
	});
}

function startsParagraph(lines: readonly string[], at: number): boolean {
	return lines[at]?.startsWith("- ") === true || (lines[at - 1] ?? "") === "";
}
