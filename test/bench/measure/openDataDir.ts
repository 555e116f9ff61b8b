import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { chooseLayout } from "#core/db/embedded/chooseLayout.ts";
import { chooseServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { findPostmaster } from "#core/db/embedded/findPostmaster.ts";
import { pollUntil } from "#core/db/embedded/pollUntil.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { DATA_PARENT } from "#test/bench/places.ts";

export type DataDir = {
	path: string;
	socketDir: string;
	/** Returns PostgreSQL's first process, while it runs. */
	postmasterPid(): number | undefined;
	/** Resolves to true when PostgreSQL ended in time, or never ran. */
	ended(): Promise<boolean>;
	remove(): Promise<void>;
};

/** A server whose last user was killed is ended by its watchdog within a second. */
const SERVER_ENDS_MS = 10_000;

/**
 * Makes a fresh data folder, beside the project: the disk of real data is the one measured.
 *
 * Removed only when the server on it has ended: one whose folder is gone cannot be stopped.
 */
export async function openDataDir(scope: Scope): Promise<DataDir> {
	mkdirSync(DATA_PARENT, { recursive: true });
	const path = mkdtempSync(join(DATA_PARENT, "run-"));
	// The server runs as another user when we are root, and has to get in.
	chmodSync(path, 0o755);
	const user = chooseServerUser();
	const { cluster, socketDir } = await chooseLayout({ dataDir: path, user, log: silentLog });
	const postmasterPid = () => findPostmaster(cluster);
	const ended = async () => {
		const hasEnded = () => postmasterPid() === undefined || undefined;
		return (await pollUntil(hasEnded, { timeoutMs: SERVER_ENDS_MS, everyMs: 20 })) === true;
	};
	const remove = scope.defer(async () => {
		const isDown = await ended();
		const pid = postmasterPid();
		if (!isDown && pid !== undefined) process.kill(pid, "SIGQUIT");
		// Outside the folder only where the server's user could not enter it.
		for (const folder of [path, dirname(cluster), socketDir]) {
			rmSync(folder, { recursive: true, force: true });
		}
	});
	return { path, socketDir, postmasterPid, ended, remove };
}
