import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

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
