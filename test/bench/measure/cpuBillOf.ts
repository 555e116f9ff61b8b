import { readdirSync, readFileSync } from "node:fs";
import { cpuSecondsOf, reapedSecondsOf } from "#test/bench/measure/cpuSecondsOf.ts";
import { descendantsOf } from "#test/bench/measure/descendantsOf.ts";

/** Seconds of the processor, by who used them. Linux only: elsewhere not numbers. */
export type CpuBill = {
	/** The thread that runs the program, and what helps it to read and write. */
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

/** What everybody has used so far; of two bills the difference is what a time in between cost. */
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
		// A connection that ends takes its seconds along to its parent.
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

/** Threads end while we look; one that is gone has no name. */
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
