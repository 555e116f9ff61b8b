import { rmSync } from "node:fs";
import { connectToServer } from "#core/db/embedded/connectToServer.ts";
import { countUsers, type Users } from "#core/db/embedded/countUsers.ts";
import { findPostmaster } from "#core/db/embedded/findPostmaster.ts";
import type { ServerPlan } from "#core/db/embedded/launchServer.ts";
import { stopServer } from "#core/db/embedded/stopServer.ts";
import { tryFileLock } from "#core/db/embedded/tryFileLock.ts";

const POSTMASTER_CHECK_MS = 250;
const ORPHAN_CHECK_MS = 200;
/**
 * How many failed checks are accepted of a server that lives but cannot answer who uses it (too
 * many connections, recovery).
 */
const UNKNOWN_CHECKS_MAX = 600;

export type Guard = { plan: ServerPlan; decisionLock: string; parentGone: Promise<void> };

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
