import { readlinkSync } from "node:fs";
import { parentOf } from "#api/launch/launch.ts";

const LOOK_EVERY_MS = 1_000;

/**
 * Calls back once `bun run`, by which this process was started, is gone or has lost its own parent:
 * it does not end with that (1.4.5), and a signal that ends `npx` reaches neither of them. Nobody
 * would read what the run says. Returns how to stop looking. Elsewhere than on Linux, and where a
 * shell started this process, whose jobs may outlive it, there is nothing to look at.
 */
export function watchParents(onGone: () => void): () => void {
	// The shell that `bun run` needs may be in between.
	const place = ancestors(2).findIndex(isBun);
	if (place < 0) return () => {};
	const before = ancestors(place + 2).join();
	const timer = setInterval(() => {
		if (ancestors(place + 2).join() === before) return;
		clearInterval(timer);
		onGone();
	}, LOOK_EVERY_MS);
	timer.unref();
	return () => clearInterval(timer);
}

function isBun(pid: number): boolean {
	try {
		return readlinkSync(`/proc/${pid}/exe`) === readlinkSync("/proc/self/exe");
	} catch {
		return false;
	}
}

/** So many processes: who started this one, who started that, and so on. */
function ancestors(count: number): number[] {
	const found: number[] = [];
	let pid: number | null = process.ppid;
	while (pid !== null && found.length < count) {
		found.push(pid);
		pid = parentOf(pid);
	}
	return found;
}
