import { fingerprintOf } from "#api/launch/fingerprintOf.ts";
import { PINNED_FILES, ROOT, SOURCE_FOLDERS } from "#api/launch/places.ts";

/** Returns a fingerprint of the sources as they are on the disk now. */
export function sourcesPrint(): string {
	return fingerprintOf(ROOT, { folders: SOURCE_FOLDERS, files: PINNED_FILES });
}
