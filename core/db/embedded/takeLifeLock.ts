import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { findPostmaster } from "#core/db/embedded/findPostmaster.ts";
import { pollUntil } from "#core/db/embedded/pollUntil.ts";
import { type FileLock, tryFileLock } from "#core/db/embedded/tryFileLock.ts";

/**
 * For a holder that cannot be seen from here: one in another container, or one that has just
 * removed the file with its name and is about to release the lock.
 */
const UNSEEN_TIMEOUT_MS = 5_000;
/** For a holder whose server runs here: longer than a killed server takes to exit. */
const RUNNING_TIMEOUT_MS = 500;
/**
 * For a watchdog whose server is gone: it may be connecting (15 s), stopping (80 s), or waiting for
 * a processor.
 */
const ENDING_TIMEOUT_MS = 120_000;
const EVERY_MS = 20;

export type LifeLockPlan = {
	lifeLock: string;
	holderFile: string;
	cluster: string;
	/** For tests. */
	limits?: { unseenMs: number; endingMs: number };
};

/**
 * Takes the lock of a server's life; returns undefined where another process keeps it.
 *
 * After a crash of the service and its server, their watchdog must still notice and end. A restart
 * that finds it waits as long as that may take, because the lock will become free; a holder whose
 * server runs, or that cannot be seen, keeps it, and is not waited for long.
 */
export async function takeLifeLock(plan: LifeLockPlan): Promise<FileLock | undefined> {
	const { limits = { unseenMs: UNSEEN_TIMEOUT_MS, endingMs: ENDING_TIMEOUT_MS } } = plan;
	const beganMs = performance.now();
	let lastDownMs = beganMs;
	const answer = await pollUntil(
		() => {
			const lock = tryFileLock(plan.lifeLock);
			if (lock) return { lock };
			const nowMs = performance.now();
			if (findPostmaster(plan.cluster) === undefined) lastDownMs = nowMs;
			const isRunning = nowMs - lastDownMs >= RUNNING_TIMEOUT_MS;
			const isOver = nowMs - beganMs >= limits.unseenMs && !isEnding(plan);
			return isRunning || isOver ? { lock: undefined } : undefined;
		},
		{ timeoutMs: limits.endingMs, everyMs: EVERY_MS },
	);
	return answer?.lock;
}

/**
 * Returns true if the lock's server or its holder runs here: then it can soon be joined, or the
 * lock will be free.
 */
export function isHeldHere(plan: Pick<LifeLockPlan, "holderFile" | "cluster">): boolean {
	return findPostmaster(plan.cluster) !== undefined || livesHere(plan.holderFile);
}

/** Returns true if the holder is a living process of this machine whose server is gone. */
function isEnding({ holderFile, cluster }: LifeLockPlan): boolean {
	return findPostmaster(cluster) === undefined && livesHere(holderFile);
}

function livesHere(holderFile: string): boolean {
	const [, pid, host] = /^process (\d+) on host (.*)$/.exec(readText(holderFile)) ?? [];
	return host === hostname() && isAlive(Number(pid));
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (cause) {
		// EPERM: it lives, as another user's process.
		return cause instanceof Error && "code" in cause && cause.code === "EPERM";
	}
}
