import { custodyFault } from "#plugins/custody/faults.ts";
import { NAME_LENGTH_MAX } from "#plugins/custody/limits.ts";

/**
 * Writes a name as one segment of a path. Refuses `.` and `..`: URL parsers remove these, and the
 * URL that is called would not be the one that was signed.
 */
export function pathSegment(name: string): string {
	if (name === "" || name === "." || name === ".." || name.length > NAME_LENGTH_MAX) {
		throw custodyFault.refused({ detail: "a name that is no path segment" });
	}
	return encodeURIComponent(name.toWellFormed());
}
