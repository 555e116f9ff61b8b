import { existsSync } from "node:fs";
import { join } from "node:path";
import { fingerprintOf } from "#api/launch/fingerprintOf.ts";
import {
	BUNDLE_FOLDER,
	PINNED_FILES,
	type Program,
	ROOT,
	SOURCE_FOLDERS,
	sourceOf,
} from "#api/launch/places.ts";

const BUILD_MAIN = join(import.meta.dir, "main.ts");
const BUILD_TIMEOUT_MS = 60_000;

/** The file to run in place of a program's sources, or null where there is none to be had. */
export function bundleOf(program: Program, folder = BUNDLE_FOLDER): string | null {
	try {
		const print = fingerprintOf(ROOT, { folders: SOURCE_FOLDERS, files: PINNED_FILES });
		const file = join(folder, `${program}-${print}.js`);
		if (existsSync(file)) return file;
		// In a process of its own: what building takes in memory is never given back.
		Bun.spawnSync([process.execPath, BUILD_MAIN, sourceOf(program), file], {
			env: {},
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
			timeout: BUILD_TIMEOUT_MS,
		});
		return existsSync(file) ? file : null;
	} catch {
		// An installation without a writable folder, or without the lock file: the sources do as well.
		return null;
	}
}
