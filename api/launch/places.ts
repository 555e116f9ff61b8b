// Says where sources and bundles are, which sources these are, and whether a bundle is whole.

import { createHash } from "node:crypto";
import {
	closeSync,
	existsSync,
	fstatSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
} from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

const runtime = [Bun.version, process.platform, process.arch, ""].join("\0");

/** Folders with what only tests import. */
const TEST_FOLDER = /(^|\/)testing\//;

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

/**
 * Returns a name for exactly these sources at this place, run by exactly this Bun. By what the
 * files hold and not by their times, which a checkout, an unpacked image or a copy sets as it
 * likes. By their place, because a bundle names the files that it reads: migrations above all.
 */
export function fingerprintOf(
	root: string,
	given: { folders: readonly string[]; files: readonly string[] },
): string {
	const hash = createHash("sha256").update(runtime).update(root);
	const sources = given.folders.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true })
			.map((name) => join(folder, String(name)))
			.filter(isSource),
	);
	for (const path of [...given.files, ...sources.sort()]) {
		hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
	}
	return hash.digest("hex").slice(0, 16);
}

/** Returns a fingerprint of the sources as they are on the disk now. */
export function sourcesPrint(): string {
	return fingerprintOf(ROOT, { folders: SOURCE_FOLDERS, files: PINNED_FILES });
}

function isSource(path: string): boolean {
	return path.endsWith(".ts") && !path.endsWith(".test.ts") && !TEST_FOLDER.test(path);
}
