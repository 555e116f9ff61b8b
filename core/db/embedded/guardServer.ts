// Watches over the embedded server, and takes the locks that protect it.

import { Database } from "bun:sqlite";
import { readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import type pg from "pg";
import type { ServerPlan } from "#core/db/embedded/launchServer.ts";
import { embeddedServerFault } from "#core/db/embedded/layout.ts";
import {
	connectToServer,
	countUsers,
	findPostmaster,
	pollUntil,
	stopServer,
	type Users,
} from "#core/db/embedded/server.ts";

export type FileLock = { release(): void };

export type Guard = { plan: ServerPlan; decisionLock: string; parentGone: Promise<void> };

export type LifeLockPlan = {
	lifeLock: string;
	holderFile: string;
	cluster: string;
	/** Shorter time limits, for tests. */
	limits?: { unseenMs: number; endingMs: number };
};

/**
 * Held locks. A connection without a reference is closed by the garbage collector, with its lock.
 */
const held = new Set<Database>();

const POSTMASTER_CHECK_MS = 250;
const ORPHAN_CHECK_MS = 200;
/**
 * Limits the failed checks of a server that runs but cannot answer who uses it (too many
 * connections, recovery).
 */
const UNKNOWN_CHECKS_MAX = 600;

/**
 * The wait for a holder that cannot be seen from here: one in another container, or one that has
 * just removed the file with its name and is about to release the lock.
 */
const UNSEEN_TIMEOUT_MS = 5_000;
/** The wait for a holder whose server runs here: longer than a killed server takes to exit. */
const RUNNING_TIMEOUT_MS = 500;
/**
 * The wait for a watchdog whose server is gone: it may be connecting (15 s), stopping (80 s), or
 * waiting for a processor.
 */
const ENDING_TIMEOUT_MS = 120_000;
const EVERY_MS = 20;

/**
 * Watches over a running server until it has ended, by itself or because no process of ours uses
 * it.
 *
 * While the parent lives it only checks that the postmaster does. After that it asks the server for
 * other users, and stops it when there are none.
 */
export async function guardServer(guard: Guard): Promise<void> {
	let parentIsGone = false;
	const gone = guard.parentGone.then(() => {
		parentIsGone = true;
	});
	while (!parentIsGone) {
		if (findPostmaster(guard.plan.cluster) === undefined) return;
		await Promise.race([gone, Bun.sleep(POSTMASTER_CHECK_MS)]);
	}
	let unknowns = 0;
	while (findPostmaster(guard.plan.cluster) !== undefined) {
		const users = await askUsers(guard.plan.socketDir);
		unknowns = users === undefined ? unknowns + 1 : 0;
		const unused = users?.connections === 0 || unknowns > UNKNOWN_CHECKS_MAX;
		if (unused && (await stopUnused(guard, unknowns))) return;
		await Bun.sleep(ORPHAN_CHECK_MS);
	}
}

/**
 * Sets whether an open connection alone keeps this process from ending.
 *
 * `pg` has `ref` and `unref`, but its types lack them.
 */
export function keepProcessAlive(client: pg.Client, keep: boolean): void {
	const name = keep ? "ref" : "unref";
	const method: unknown = Reflect.get(client, name);
	if (typeof method === "function") method.call(client);
}

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
 * Takes an exclusive lock on a file; returns undefined when another process has it.
 *
 * It is SQLite's own lock (fcntl): the kernel releases it with the process, however that ends, and
 * it works between containers that mount one volume, unlike a file with a pid.
 */
export function tryFileLock(path: string): FileLock | undefined {
	let database: Database | undefined;
	try {
		database = new Database(path, { create: true, readwrite: true });
		database.run("pragma busy_timeout = 0");
		database.run("begin exclusive");
	} catch (cause) {
		database?.close();
		if (isBusy(cause)) return undefined;
		throw embeddedServerFault.embeddedServerFolder({
			public: "The lock file of the embedded PostgreSQL in DATA_DIR cannot be used.",
			detail: `cannot lock ${path}`,
			cause,
		});
	}
	const locked = database;
	held.add(locked);
	return {
		release() {
			if (held.delete(locked)) locked.close();
		},
	};
}

/**
 * Returns true if the lock's server or its holder runs here: then it can soon be joined, or the
 * lock will be free.
 */
export function isHeldHere(plan: Pick<LifeLockPlan, "holderFile" | "cluster">): boolean {
	return findPostmaster(plan.cluster) !== undefined || livesHere(plan.holderFile);
}

async function askUsers(socketDir: string): Promise<Users | undefined> {
	try {
		// A name that is not ours: the watchdog does not count as a user.
		const client = await connectToServer(socketDir, "watchdog");
		if (!client) return undefined;
		try {
			return await countUsers(client);
		} finally {
			await client.end();
		}
	} catch {
		return undefined;
	}
}

/**
 * Checks again under the decision lock, so that no process can join between the check and the stop;
 * returns whether it stopped the server.
 */
async function stopUnused(guard: Guard, unknowns: number): Promise<boolean> {
	const lock = tryFileLock(guard.decisionLock);
	if (!lock) return false;
	try {
		const users = unknowns > 0 ? undefined : await askUsers(guard.plan.socketDir);
		if (unknowns === 0 && users?.connections !== 0) return false;
		await stopServer(guard.plan);
		// Empty once the server is down; the next start creates it again.
		rmSync(guard.plan.socketDir, { recursive: true, force: true });
		return true;
	} finally {
		lock.release();
	}
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

function isBusy(cause: unknown): boolean {
	const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
	return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}
