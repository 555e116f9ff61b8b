import { fingerprintOf } from "#api/launch/fingerprintOf.ts";
import { PINNED_FILES, ROOT, SOURCE_FOLDERS } from "#api/launch/places.ts";

/** The name of the sources as they lie here now. */
export function sourcesPrint(): string {
	return fingerprintOf(ROOT, { folders: SOURCE_FOLDERS, files: PINNED_FILES });
}
