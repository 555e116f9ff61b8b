import { readFileSync } from "node:fs";
import { descendantsOf } from "#test/bench/measure/descendantsOf.ts";

const KB_PER_MB = 1_024;

/**
 * Returns the most memory that a process ever had resident, in MB. Linux only: elsewhere not a
 * number.
 */
export function peakMemoryMb(pid: number): number {
	return kilobytes(readText(`/proc/${pid}/status`), "VmHWM") / KB_PER_MB;
}

/**
 * Returns the present memory of processes and their descendants, in MB. Proportional: a page that
 * PostgreSQL's processes share counts once.
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

/** Reads a file of /proc; processes end meanwhile, and a missing file is empty. */
function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
