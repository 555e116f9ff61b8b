import type { SourceFile } from "#test/tidy/SourceFile.ts";

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
