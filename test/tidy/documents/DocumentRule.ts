import type { TextFile } from "#test/tidy/documents/TextFile.ts";
import type { Problem } from "#test/tidy/Rule.ts";

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
