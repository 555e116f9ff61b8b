import type { TextFile } from "#test/tidy/documents/TextFile.ts";

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
