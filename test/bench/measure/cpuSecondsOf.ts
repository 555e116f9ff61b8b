import { readFileSync } from "node:fs";

/** Linux counts in hundredths, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** CPU that a process has used, in seconds. Linux only: elsewhere not a number. */
export function cpuSecondsOf(pid: number): number {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The name in brackets may hold spaces; what follows it does not.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
	} catch {
		return Number.NaN;
	}
}
