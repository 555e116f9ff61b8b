// Names the sources as they are on the disk now.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PINNED_FILES, ROOT, SOURCE_FOLDERS } from "#api/launch/places.ts";

const runtime = [Bun.version, process.platform, process.arch, ""].join("\0");

/** Folders with what only tests import. */
const TEST_FOLDER = /(^|\/)testing\//;

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
