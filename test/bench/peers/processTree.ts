import { readFileSync } from "node:fs";
import { descendantsOf } from "#test/bench/measure/descendantsOf.ts";
import { peakMemoryMb, treeMemoryMb } from "#test/bench/measure/memoryOf.ts";

/** Linux counts in hundredths, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;
/** Own user and system time, and that of children that ended and were waited for. */
const TICK_FIELDS = [11, 12, 13, 14];
const SAMPLE_MS = 200;

/** Returns the CPU seconds of a process and its descendants; 0 where the system is not Linux. */
export function treeCpuSeconds(rootPid: number): number {
	let ticks = 0;
	for (const pid of descendantsOf([rootPid])) {
		const fields = fieldsOf(pid);
		for (const field of TICK_FIELDS) ticks += Number(fields[field] ?? 0);
	}
	return ticks / TICKS_PER_SECOND;
}

/**
 * Watches a process and all its descendants until `stop` is called, which returns the most memory
 * that they had, in MB: of the first process exactly, of all together by samples. Linux only: else
 * not a number.
 */
export function watchPeakMemory(rootPid: number): { stop(): number } {
	let together = 0;
	// Proportional: of a process that begins as a copy of another, shared pages count once.
	const look = () => {
		together = Math.max(together, treeMemoryMb([rootPid]));
	};
	const timer = setInterval(look, SAMPLE_MS);
	return {
		stop() {
			clearInterval(timer);
			look();
			return Math.max(together, peakMemoryMb(rootPid));
		},
	};
}

function fieldsOf(pid: number): string[] {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The name in brackets may contain spaces; what follows it does not.
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	} catch {
		return [];
	}
}
