import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";
import { findPostmaster } from "#core/db/embedded/findPostmaster.ts";
import { pollUntil } from "#core/db/embedded/pollUntil.ts";
import { runCommand } from "#core/db/embedded/runCommand.ts";
import { stopServer } from "#core/db/embedded/stopServer.ts";
import { writeSettings } from "#core/db/embedded/writeSettings.ts";

/** Long enough to replay 2 GB of log after a crash. */
const START_TIMEOUT_S = 120;
const LEFTOVER_TIMEOUT_MS = 20_000;
const LOG_BYTES_MAX = 10_000_000;
const LOG_TAIL_CHARS = 2_000;

export type ServerPlan = {
	native: string;
	cluster: string;
	socketDir: string;
	user: ServerUser;
	settings: Record<string, string>;
};

/**
 * Starts the server and waits until it answers. The caller holds the life lock.
 *
 * Because of that lock, an existing postmaster.pid is a leftover: of a killed server, or of one
 * that lost both its watchdog and its socket.
 */
export async function launchServer(plan: ServerPlan): Promise<void> {
	if (findPostmaster(plan.cluster) !== undefined) await stopServer(plan);
	// Otherwise PostgreSQL may find a pid that now belongs to another process, and refuse to start.
	if (findPostmaster(plan.cluster) === undefined) removeLeftovers(plan);
	writeSettings(plan);
	const logFile = join(plan.cluster, "server.log");
	if (existsSync(logFile) && statSync(logFile).size > LOG_BYTES_MAX) {
		renameSync(logFile, `${logFile}.1`);
	}
	let output = "";
	const started = await pollUntil(
		async () => {
			const logStart = existsSync(logFile) ? statSync(logFile).size : 0;
			const result = await pgCtlStart(plan, logFile);
			if (result.exitCode === 0) return true;
			const said = readFileIfAny(logFile).slice(logStart);
			output = `${result.output}\n${said}`.slice(-LOG_TAIL_CHARS);
			// The backends of a killed postmaster need a moment to notice and exit.
			return said.includes("shared memory block") ? undefined : false;
		},
		{ timeoutMs: LEFTOVER_TIMEOUT_MS, everyMs: 50 },
	);
	if (!started)
		throw embeddedServerFault.embeddedServerCommand({ detail: `pg_ctl start: ${output}` });
}

/**
 * Deletes stale files. PostgreSQL takes a zombie (a container's first process may never reap it)
 * for alive, and also another process with the old pid. The socket's lock has the same weakness.
 */
function removeLeftovers(plan: ServerPlan): void {
	rmSync(join(plan.cluster, "postmaster.pid"), { force: true });
	for (const name of [".s.PGSQL.5432.lock", ".s.PGSQL.5432"]) {
		rmSync(join(plan.socketDir, name), { force: true });
	}
}

function pgCtlStart(plan: ServerPlan, logFile: string) {
	const pgCtl = join(plan.native, "bin", "pg_ctl");
	const args = [
		"start",
		"-D",
		plan.cluster,
		"-l",
		logFile,
		"-w",
		"-t",
		String(START_TIMEOUT_S),
		"-s",
	];
	return runCommand([...plan.user.prefix, pgCtl, ...args], {
		timeoutMs: (START_TIMEOUT_S + 10) * 1_000,
	});
}

function readFileIfAny(path: string): string {
	return existsSync(path) ? readFileSync(path, "utf8") : "";
}
