import { readdirSync, readFileSync } from "node:fs";

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

/** Reads a file of /proc; processes end meanwhile, and a missing file is empty. */
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
