import type { Problem } from "#test/tidy/Rule.ts";
import type { SourceFile } from "#test/tidy/SourceFile.ts";

type FileProblem = { line?: number; message: string };

/** A check that looks at one file at a time. */
export function eachFile(
	check: (file: SourceFile) => FileProblem[],
): (files: readonly SourceFile[]) => Problem[] {
	return (files) =>
		files.flatMap((file) => check(file).map((problem) => ({ path: file.path, ...problem })));
}
