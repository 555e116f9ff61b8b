// Reads the processor time and memory of processes from /proc.

import { readdirSync, readFileSync } from "node:fs";

/** Seconds of the processor, by what used them. Linux only: not numbers elsewhere. */
export type CpuBill = {
	/** The thread that runs the program, and its helpers for reading and writing. */
	program: number;
	/** Threads that compile JavaScript while it runs. */
	compiling: number;
	/** Threads that help to collect garbage; what the program's own thread does is the program's. */
	collecting: number;
	postgres: number;
	node: number;
};

export type BilledProcesses = {
	pid: number;
	postmasterPid: number | undefined;
	nodePid: number;
};

/** Linux counts in hundredths, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
/** Fields of children that have ended. */
const REAPED_USER_TICKS = 13;
const REAPED_SYSTEM_TICKS = 14;

/** Threads of JavaScriptCore by the names that Linux shows (it keeps 15 characters). */
const COMPILERS = new Set(["JITWorker", "JSCWarmUp"]);
const COLLECTORS = new Set(["HeapHelper", "ollector Thread"]);

const KB_PER_MB = 1_024;

/** Own user and system time, and that of children that ended and were waited for. */
const TICK_FIELDS = [11, 12, 13, 14];
const SAMPLE_MS = 200;

/** Returns what all have used so far; the difference of two is the cost of the time between. */
export function cpuBillOf({ pid, postmasterPid, nodePid }: BilledProcesses): CpuBill {
	const servers = postmasterPid === undefined ? [] : descendantsOf([postmasterPid]);
	let compiling = 0;
	let collecting = 0;
	for (const { name, seconds } of threadsOf(pid)) {
		if (COMPILERS.has(name)) compiling += seconds;
		if (COLLECTORS.has(name)) collecting += seconds;
	}
	return {
		program: cpuSecondsOf(pid) - compiling - collecting,
		compiling,
		collecting,
		// A connection that ends adds its seconds to its parent.
		postgres: servers.reduce(
			(sum, server) => sum + (cpuSecondsOf(server) || 0),
			postmasterPid === undefined ? 0 : reapedSecondsOf(postmasterPid),
		),
		node: cpuSecondsOf(nodePid),
	};
}

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

/** Returns processes with all their descendants. Linux only: elsewhere the processes alone. */
export function descendantsOf(rootPids: readonly number[]): number[] {
	const children = childrenByParent();
	const pids = new Set<number>();
	const visit = (pid: number) => {
		if (pids.has(pid)) return;
		pids.add(pid);
		for (const child of children.get(pid) ?? []) visit(child);
	};
	for (const pid of rootPids) visit(pid);
	return [...pids];
}

function threadsOf(pid: number): { name: string; seconds: number }[] {
	const threads: { name: string; seconds: number }[] = [];
	for (const thread of readNames(`/proc/${pid}/task`)) {
		const seconds = cpuSecondsOf(pid, Number(thread));
		const name = readText(`/proc/${pid}/task/${thread}/comm`).trim();
		if (!Number.isNaN(seconds)) threads.push({ name, seconds });
	}
	return threads;
}

function readNames(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** Reads a file of /proc. A process or thread may end meanwhile: a missing file reads as empty. */
function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
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

function fieldsOf(pid: number): string[] {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The name in brackets may contain spaces; what follows it does not.
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	} catch {
		return [];
	}
}

function kilobytes(text: string, field: string): number {
	return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1]);
}

function childrenByParent(): Map<number, number[]> {
	const children = new Map<number, number[]>();
	for (const name of readNames("/proc")) {
		const pid = Number(name);
		if (!Number.isInteger(pid)) continue;
		const parent = Number(/^PPid:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1]);
		const list = children.get(parent);
		if (list) list.push(pid);
		else children.set(parent, [pid]);
	}
	return children;
}
