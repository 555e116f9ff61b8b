import { readdirSync, readFileSync } from "node:fs";
import { cpuSecondsOf, reapedSecondsOf } from "#test/bench/measure/cpuSecondsOf.ts";
import { descendantsOf } from "#test/bench/measure/descendantsOf.ts";

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

/** Threads of JavaScriptCore by the names that Linux shows (it keeps 15 characters). */
const COMPILERS = new Set(["JITWorker", "JSCWarmUp"]);
const COLLECTORS = new Set(["HeapHelper", "ollector Thread"]);

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

function threadsOf(pid: number): { name: string; seconds: number }[] {
	const threads: { name: string; seconds: number }[] = [];
	for (const thread of readNames(`/proc/${pid}/task`)) {
		const seconds = cpuSecondsOf(pid, Number(thread));
		const name = readText(`/proc/${pid}/task/${thread}/comm`).trim();
		if (!Number.isNaN(seconds)) threads.push({ name, seconds });
	}
	return threads;
}

/** Reads a file of /proc; threads end meanwhile, and one that is gone has no name. */
function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

function readNames(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
