import { readFileSync } from "node:fs";

/** Linux counts in hundredths, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** CPU that a process, or one thread of it, has used, in seconds. Linux only: else not a number. */
export function cpuSecondsOf(pid: number, thread?: number): number {
	const place = thread === undefined ? `/proc/${pid}` : `/proc/${pid}/task/${thread}`;
	try {
		const stat = readFileSync(`${place}/stat`, "utf8");
		// The name in brackets may hold spaces; what follows it does not.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
	} catch {
		return Number.NaN;
	}
}
