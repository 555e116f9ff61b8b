import { posix } from "node:path";
import type { TextFile } from "#test/tidy/documents/TextFile.ts";

/** Answers whether a document's reader finds what a path names. */
export type ResolvePath = (path: string, from: string) => boolean;

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

function foldersOf(path: string): string[] {
	const parts = path.split("/").slice(0, -1);
	return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
