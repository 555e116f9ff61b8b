// Says where sources and bundles are, and whether a bundle is whole.

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

/** Lists the folders of a bundle's sources: everything the service imports that is ours. */
export const SOURCE_FOLDERS = ["core", "plugins", "agent", "api"];

/** Lists the other files that decide a bundle's content: versions of foreign code. */
export const PINNED_FILES = ["package.json", "bun.lock", "tsconfig.json"];

/** Git and packages leave it alone, and it goes when the packages are installed anew. */
export const BUNDLE_FOLDER = join(ROOT, "node_modules/.cache/tapeline");

/** A program that can be bundled. */
export type Program = "start" | "up";

export function sourceOf(program: Program): string {
	return join(ROOT, "api/cli/main", `${program}.ts`);
}

/** A bundle's last line: an empty program runs, does nothing, and ends as if all were well. */
export const LAST_LINE = "// This bundle is whole.\n";

/** Says whether a bundle is whole: a machine without power leaves half a file, or none. */
export function isWhole(file: string): boolean {
	if (!existsSync(file)) return false;
	const opened = openSync(file, "r");
	try {
		const end = Buffer.alloc(LAST_LINE.length);
		const from = Math.max(0, fstatSync(opened).size - end.length);
		readSync(opened, end, 0, end.length, from);
		return end.toString("latin1") === LAST_LINE;
	} finally {
		closeSync(opened);
	}
}
