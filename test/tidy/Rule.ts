/** What is wrong, where, and what to do instead. */
export type Problem = { path: string; line?: number; message: string };

/** A file that exists only in a rule's own test: path and text. */
export type Sample = { path: string; text: string };

/**
 * One rule of the house. To add one, write it in `rules/` and name it in `rules.ts`; its samples
 * are its test.
 */
export type Rule = {
	name: string;
	/** What the rule protects. Printed with each problem. */
	why: string;
	/** Looks at all files at once; most rules use `eachFile`. */
	check(files: readonly SourceFile[]): Problem[];
	/** Each set must give at least one problem: a rule that cannot fail is none. */
	bad: readonly (readonly Sample[])[];
	/** Each set must give none. */
	good: readonly (readonly Sample[])[];
};

/** One file of the project as the rules see it. */
export type SourceFile = {
	/** From the root, with forward slashes. */
	path: string;
	text: string;
	/**
	 * The text with comments and the insides of literals blanked out, every other character in its
	 * place: what a rule finds here is code.
	 */
	code: string;
	comments: { line: number; text: string }[];
	imports: SourceImport[];
	exports: { name: string; kind: "value" | "type" }[];
};

export type SourceImport = {
	/** As written. */
	specifier: string;
	/** From the root; undefined for packages. */
	target: string | undefined;
	typeOnly: boolean;
	line: number;
};

type FileProblem = { line?: number; message: string };

/** A check that looks at one file at a time. */
export function eachFile(
	check: (file: SourceFile) => FileProblem[],
): (files: readonly SourceFile[]) => Problem[] {
	return (files) =>
		files.flatMap((file) => check(file).map((problem) => ({ path: file.path, ...problem })));
}

/** Where a pattern occurs in a text, as line numbers. */
export function findInCode(code: string, pattern: RegExp): number[] {
	return [...code.matchAll(new RegExp(pattern, "g"))].map(
		({ index }) => code.slice(0, index).split("\n").length,
	);
}

/**
 * Tests, everything under `test/`, and what several tests beside it share (`…Cases.ts`, a folder
 * `testing/`): none of it is shipped, so some rules do not hold there.
 */
export function isTestFile(path: string): boolean {
	return path.startsWith("test/") || /\.test\.tsx?$|Cases\.ts$|\/testing\//.test(path);
}
