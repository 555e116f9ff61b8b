import { readFileSync } from "node:fs";
import { descendantsOf } from "#test/bench/measure/descendantsOf.ts";

const KB_PER_MB = 1_024;

/** The most memory a process ever had resident, in MB. Linux only: elsewhere not a number. */
export function peakMemoryMb(pid: number): number {
	return kilobytes(readText(`/proc/${pid}/status`), "VmHWM") / KB_PER_MB;
}

/**
 * What processes and their descendants hold now, in MB. Proportional: a page that PostgreSQL's
 * processes share counts once.
 */
export function treeMemoryMb(rootPids: readonly number[]): number {
	let sum = 0;
	for (const pid of descendantsOf(rootPids)) {
		const held = kilobytes(readText(`/proc/${pid}/smaps_rollup`), "Pss");
		if (!Number.isNaN(held)) sum += held;
	}
	return sum / KB_PER_MB;
}

function kilobytes(text: string, field: string): number {
	return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1]);
}

/** Processes end while we look; a file that is gone is an empty one. */
function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
