import { utimesSync } from "node:fs";
import { join } from "node:path";
import { isWhole } from "#api/launch/isWhole.ts";
import { BUNDLE_FOLDER, type Program, sourceOf } from "#api/launch/places.ts";
import { sourcesPrint } from "#api/launch/sourcesPrint.ts";
import { systemClock } from "#core/clock.ts";

const BUILD_MAIN = join(import.meta.dir, "main.ts");
const BUILD_TIMEOUT_MS = 60_000;

/** Returns the file to run in place of a program's sources, or null where it cannot be made. */
export function bundleOf(program: Program, folder = BUNDLE_FOLDER): string | null {
	try {
		const file = join(folder, `${program}-${sourcesPrint()}.js`);
		if (isWhole(file)) {
			markUsed(file);
			return file;
		}
		// In a process of its own: what building takes in memory is never given back.
		Bun.spawnSync([process.execPath, BUILD_MAIN, sourceOf(program), file], {
			env: {},
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
			timeout: BUILD_TIMEOUT_MS,
		});
		return isWhole(file) ? file : null;
	} catch {
		// An installation without a writable folder, or without the lock file: the sources do as well.
		return null;
	}
}

/** Notes that a bundle was used just now: what was used last is removed last. */
function markUsed(file: string): void {
	try {
		const nowSeconds = systemClock.nowMs() / 1_000;
		utimesSync(file, nowSeconds, nowSeconds);
	} catch {
		// Somebody else's file: its age is theirs.
	}
}
