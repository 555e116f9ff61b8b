import { custodyFault } from "#plugins/custody/faults.ts";
import { NAME_LENGTH_MAX } from "#plugins/custody/limits.ts";

/**
 * A name as one segment of a path. One that would lead out of its place is refused: URL parsers
 * remove `.` and `..`, and what is called would not be what was signed.
 */
export function pathSegment(name: string): string {
	if (name === "" || name === "." || name === ".." || name.length > NAME_LENGTH_MAX) {
		throw custodyFault.refused({ detail: "a name that is no path segment" });
	}
	return encodeURIComponent(name.toWellFormed());
}
