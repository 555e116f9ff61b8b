import type { Layout } from "#core/db/embedded/chooseLayout.ts";
import { connectToServer } from "#core/db/embedded/connectToServer.ts";
import { countUsers } from "#core/db/embedded/countUsers.ts";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";
import { pollUntil } from "#core/db/embedded/pollUntil.ts";
import type { Share } from "#core/db/embedded/startOrJoin.ts";
import { tryFileLock } from "#core/db/embedded/tryFileLock.ts";

/** A pool that was just ended is still visible for some milliseconds; an open one stays. */
const CONNECTIONS_GO_MS = 1_000;
const STOP_TIMEOUT_MS = 90_000;

/**
 * Gives a share back, and waits for the server's end if it was the last one.
 *
 * The watchdog stops the server, ours or that of a process that is gone; its lock becomes free when
 * it is done.
 */
export async function leaveServer(share: Share, layout: Layout): Promise<void> {
	const left = await pollUntil(() => whoIsLeft(share), {
		timeoutMs: CONNECTIONS_GO_MS,
		everyMs: 20,
	});
	await share.client.end().catch(() => {});
	share.watchdog?.letGo();
	if (left !== "nobody") return;
	const ended = await pollUntil(() => hasEnded(layout), {
		timeoutMs: STOP_TIMEOUT_MS,
		everyMs: 20,
	});
	if (!ended) {
		throw embeddedServerFault.embeddedServerUnreachable({
			detail: `the server did not stop within ${STOP_TIMEOUT_MS} ms`,
		});
	}
}

async function whoIsLeft(share: Share): Promise<"nobody" | "others" | undefined> {
	try {
		const users = await countUsers(share.client);
		if (users.shares > 0) return "others";
		return users.connections === 0 ? "nobody" : undefined;
	} catch {
		// The server is stopped already, or stopping.
		return "nobody";
	}
}

/** Returns true once the server has stopped, or a new process has joined it meanwhile. */
async function hasEnded(layout: Layout): Promise<true | undefined> {
	const lock = tryFileLock(layout.lifeLock);
	lock?.release();
	if (lock) return true;
	const client = await connectToServer(layout.socketDir, "leaving").catch(() => undefined);
	if (!client) return undefined;
	try {
		return (await countUsers(client)).connections > 0 ? true : undefined;
	} catch {
		return undefined;
	} finally {
		await client.end().catch(() => {});
	}
}
