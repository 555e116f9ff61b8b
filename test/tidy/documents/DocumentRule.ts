import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix, sep } from "node:path";
import type { Problem, SourceFile } from "#test/tidy/Rule.ts";

/** A rule for what people read: READMEs and the documents at the root. Its samples are its test. */
export type DocumentRule = {
	name: string;
	/** What the rule protects. Printed with each problem. */
	why: string;
	/** Answers what is wrong in the project, which is all of its text files. */
	check(files: readonly TextFile[]): Problem[];
	/** Each set must give at least one problem: a rule that cannot fail is none. */
	bad: readonly (readonly TextFile[])[];
	/** Each set must give none. */
	good: readonly (readonly TextFile[])[];
};

/** A file of the project as rules for documents see it: its path from the root, its text. */
export type TextFile = { path: string; text: string };

/** One decision of a README: its first words in bold, and the day it was made. */
export type Decision = { path: string; line: number; title: string; date: string | undefined };

/** Answers whether a document's reader finds what a path names. */
export type ResolvePath = (path: string, from: string) => boolean;

/** A heading that begins a section of decisions, and one that ends it. */
const HEADING = /^(#+) (Decisions\b.*)?/;
/** `**What was chosen.** (2026-11-23) Why, …`, as a paragraph or as a point of a list. */
const ENTRY = /^(?:- )?\*\*([\s\S]+?)\*\*(?: \((\d{4}-\d\d-\d\d)\))?/;

const ROOT = join(import.meta.dir, "../../..");
const TEXT = /\.(ts|tsx|md|sql|json|toml|example|html|css|js|sol)$/;
const LEFT_OUT = new Set(["node_modules", ".git", ".data", ".report"]);

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

/** Answers the lines of all files whose path matches, numbered from 1. */
export function linesOf(
	files: readonly TextFile[],
	paths: RegExp,
): { path: string; line: number; text: string }[] {
	return files
		.filter(({ path }) => paths.test(path))
		.flatMap(({ path, text }) =>
			text.split("\n").map((one, at) => ({ path, line: at + 1, text: one })),
		);
}

/** Returns which module imports which other, as sorted pairs. Imports of tests do not count. */
export function moduleArrows(files: readonly SourceFile[]): [from: string, to: string][] {
	const arrows = new Map<string, [string, string]>();
	for (const { path, imports } of files) {
		const from = moduleOf(path);
		if (from === undefined || /\.test\.tsx?$|Cases\.ts$|\/testing\//.test(path)) continue;
		for (const { target } of imports) {
			const to = target === undefined ? undefined : moduleOf(target);
			if (to !== undefined && to !== from) arrows.set(`${from} ${to}`, [from, to]);
		}
	}
	return [...arrows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, arrow]) => arrow);
}

/**
 * Makes the look-up of paths that documents name: from the root, from the document's folder, or by
 * the end of a path (`range/readRange.ts`) where a file or folder of the project ends so.
 */
export function resolvePath(files: readonly TextFile[]): ResolvePath {
	const known = new Set<string>();
	for (const { path } of files) {
		const parts = path.split("/");
		for (let end = 1; end <= parts.length; end++) {
			for (let start = 0; start < end; start++) known.add(parts.slice(start, end).join("/"));
		}
	}
	const paths = new Set(files.map(({ path }) => path));
	const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
	return (path, from) => {
		const plain = path.replace(/\/$/, "");
		const beside = posix.join(posix.dirname(from), plain);
		return paths.has(beside) || folders.has(beside) || known.has(plain);
	};
}

/** Answers the lines of one section of a document, with their numbers, up to the next heading. */
export function sectionOf(text: string, heading: string): { line: number; text: string }[] {
	const lines = text.split("\n").map((one, at) => ({ line: at + 1, text: one }));
	const start = lines.findIndex((one) => one.text === `## ${heading}`);
	if (start < 0) return [];
	const rest = lines.slice(start + 1);
	const end = rest.findIndex((one) => one.text.startsWith("## "));
	return end < 0 ? rest : rest.slice(0, end);
}

/** Reads every text file of the project. Others are there with an empty text: they can be named. */
export function textFiles(): TextFile[] {
	return readdirSync(ROOT, { withFileTypes: true })
		.filter(({ name }) => !LEFT_OUT.has(name))
		.flatMap((entry) => (entry.isDirectory() ? within(entry.name) : [entry.name]))
		.sort()
		.map((path) => ({ path, text: TEXT.test(path) ? readFileSync(join(ROOT, path), "utf8") : "" }));
}

function startsParagraph(lines: readonly string[], at: number): boolean {
	return lines[at]?.startsWith("- ") === true || (lines[at - 1] ?? "") === "";
}

/** `core`, `api`, `agent`, or a plugin's name. */
function moduleOf(path: string): string | undefined {
	const [area, name, ...rest] = path.split("/");
	if (area === "plugins") return rest.length > 0 ? name : undefined;
	return area === "core" || area === "api" || area === "agent" ? area : undefined;
}

function foldersOf(path: string): string[] {
	const parts = path.split("/").slice(0, -1);
	return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

function within(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
		.map((path) => join(folder, path).split(sep).join("/"))
		.filter((path) => !path.split("/").some((part) => LEFT_OUT.has(part)))
		.filter((path) => statSync(join(ROOT, path)).isFile());
}
