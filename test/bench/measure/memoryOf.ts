import { readdirSync, readFileSync } from "node:fs";

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
	const children = childrenByParent();
	const pids = new Set<number>();
	const visit = (pid: number) => {
		if (pids.has(pid)) return;
		pids.add(pid);
		for (const child of children.get(pid) ?? []) visit(child);
	};
	for (const pid of rootPids) visit(pid);
	let sum = 0;
	for (const pid of pids) {
		const held = kilobytes(readText(`/proc/${pid}/smaps_rollup`), "Pss");
		if (!Number.isNaN(held)) sum += held;
	}
	return sum / KB_PER_MB;
}

function childrenByParent(): Map<number, number[]> {
	const children = new Map<number, number[]>();
	for (const name of readFolder("/proc")) {
		const pid = Number(name);
		if (!Number.isInteger(pid)) continue;
		const parent = Number(/^PPid:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1]);
		const list = children.get(parent);
		if (list) list.push(pid);
		else children.set(parent, [pid]);
	}
	return children;
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

function readFolder(path: string): string[] {
	try {
		return readdirSync(path);
	} catch {
		return [];
	}
}
