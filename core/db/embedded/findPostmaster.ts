import { existsSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the pid of the postmaster that runs on a cluster, if it is alive and in our pid
 * namespace.
 *
 * postmaster.pid alone proves nothing: after a kill, or in a new container, its number may belong
 * to another process. A postmaster's working directory is its cluster, and a zombie has none.
 */
export function findPostmaster(cluster: string): number | undefined {
	const pid = readPid(cluster);
	if (pid === undefined) return undefined;
	if (existsSync("/proc/self/cwd")) {
		try {
			return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) ? pid : undefined;
		} catch {
			return undefined;
		}
	}
	try {
		process.kill(pid, 0);
		return pid;
	} catch {
		return undefined;
	}
}

function readPid(cluster: string): number | undefined {
	try {
		const pid = Number(readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
		return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
	} catch {
		return undefined;
	}
}
