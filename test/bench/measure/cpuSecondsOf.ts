import { readFileSync } from "node:fs";

/** Linux counts in hundredths, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
/** Fields of children that have ended. */
const REAPED_USER_TICKS = 13;
const REAPED_SYSTEM_TICKS = 14;

/**
 * Returns the CPU time of a process, or of one of its threads, in seconds. Linux only: else not a
 * number.
 */
export function cpuSecondsOf(pid: number, thread?: number): number {
	const place = thread === undefined ? `/proc/${pid}` : `/proc/${pid}/task/${thread}`;
	return secondsIn(place, [USER_TICKS, SYSTEM_TICKS]);
}

/** Returns the CPU time of a process's ended children, in seconds; not a number as above. */
export function reapedSecondsOf(pid: number): number {
	return secondsIn(`/proc/${pid}`, [REAPED_USER_TICKS, REAPED_SYSTEM_TICKS]);
}

function secondsIn(place: string, ticks: readonly number[]): number {
	try {
		const stat = readFileSync(`${place}/stat`, "utf8");
		// The name in brackets may contain spaces; what follows it does not.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return ticks.reduce((sum, tick) => sum + Number(fields[tick]), 0) / TICKS_PER_SECOND;
	} catch {
		return Number.NaN;
	}
}
