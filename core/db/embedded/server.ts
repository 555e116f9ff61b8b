// Connects to the embedded server, counts its users, and stops it.

import {
	closeSync,
	existsSync,
	openSync,
	readFileSync,
	readlinkSync,
	readSync,
	realpathSync,
} from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { isSqlState } from "#core/db/Database.ts";
import {
	embeddedServerFault,
	runCommand,
	type ServerUser,
	shareName,
	socketUrl,
} from "#core/db/embedded/layout.ts";

/** Our connections, besides the one that asks. */
export type Users = {
	/** Processes that hold a share of the server. */
	shares: number;
	/** All of our connections, including pools. */
	connections: number;
};

type Attempt = { kind: "open"; client: pg.Client } | { kind: "absent" };

const CONNECT_TIMEOUT_MS = 5_000;
/** Limits the wait for a shutdown or a recovery of the server. */
const BUSY_TIMEOUT_MS = 120_000;
const QUERY_TIMEOUT_MS = 10_000;

/** The system's codes when no server listens. */
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"]);

const FAST_TIMEOUT_S = 60;
const IMMEDIATE_TIMEOUT_S = 10;

/**
 * Opens one connection to the server behind a socket; returns undefined when there is no server.
 *
 * Waits while the server is starting or stopping, and creates the database `tapeline` if it is
 * missing.
 */
export async function connectToServer(
	socketDir: string,
	applicationName: string,
): Promise<pg.Client | undefined> {
	const attempt = await pollUntil(() => tryOnce(socketDir, applicationName), {
		timeoutMs: BUSY_TIMEOUT_MS,
		everyMs: 20,
	});
	if (!attempt) {
		throw embeddedServerFault.embeddedServerUnreachable({
			detail: `the server behind ${socketDir} was still starting or stopping after ${BUSY_TIMEOUT_MS} ms`,
		});
	}
	return attempt.kind === "open" ? attempt.client : undefined;
}

/**
 * Asks repeatedly until there is an answer; returns `undefined` when the time is over.
 *
 * Measured with the monotonic timer: setting the wall clock must neither end nor extend a wait.
 */
export async function pollUntil<Answer>(
	ask: () => Promise<Answer | undefined> | Answer | undefined,
	limits: { timeoutMs: number; everyMs: number },
): Promise<Answer | undefined> {
	const startedMs = performance.now();
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (performance.now() - startedMs >= limits.timeoutMs) return undefined;
		await Bun.sleep(limits.everyMs);
	}
}

/**
 * Counts in pg_stat_activity. An operator's psql does not count: it must not keep the server
 * running.
 */
export async function countUsers(client: pg.Client): Promise<Users> {
	const { rows } = await client.query<Users>(
		`select count(*)::int as connections,
			count(*) filter (where application_name = $1)::int as shares
		from pg_stat_activity
		where application_name like 'tapeline%' and backend_type = 'client backend'
			and pid <> pg_backend_pid()`,
		[shareName],
	);
	return rows[0] ?? { shares: 0, connections: 0 };
}

/**
 * Returns whether the server behind a connection is the one that runs on this cluster.
 *
 * The path alone is not enough: two containers that share /tmp may both call their folder /data. So
 * the identifier that initdb wrote into the cluster is compared as well.
 */
export async function isOurServer(client: pg.Client, cluster: string): Promise<boolean> {
	const { rows } = await client.query<{ folder: string; identifier: string }>(
		`select current_setting('data_directory') as folder,
			(select system_identifier::text from pg_control_system()) as identifier`,
	);
	const row = rows[0];
	if (!row) return false;
	return row.folder === realpathSync(cluster) && row.identifier === clusterIdentifier(cluster);
}

/**
 * Stops the server: fast, which ends connections and writes a checkpoint; if that hangs, immediate,
 * which costs the next start a recovery but loses no committed data.
 */
export async function stopServer(server: {
	native: string;
	cluster: string;
	user: ServerUser;
}): Promise<void> {
	for (const [mode, timeoutS] of [
		["fast", FAST_TIMEOUT_S],
		["immediate", IMMEDIATE_TIMEOUT_S],
	] as const) {
		if (findPostmaster(server.cluster) === undefined) return;
		const pgCtl = join(server.native, "bin", "pg_ctl");
		const args = ["stop", "-D", server.cluster, "-m", mode, "-w", "-t", String(timeoutS), "-s"];
		const timeoutMs = (timeoutS + 5) * 1_000;
		await runCommand([...server.user.prefix, pgCtl, ...args], { timeoutMs });
	}
}

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

async function tryOnce(socketDir: string, applicationName: string): Promise<Attempt | undefined> {
	try {
		return { kind: "open", client: await open(socketDir, applicationName, "tapeline") };
	} catch (cause) {
		if (ABSENT.has(codeOf(cause))) return { kind: "absent" };
		if (isSqlState(cause, "cannot_connect_now")) return undefined;
		if (isSqlState(cause, "invalid_catalog_name")) {
			await createDatabase(socketDir);
			return undefined;
		}
		throw embeddedServerFault.embeddedServerUnreachable({
			detail: `cannot connect to ${socketDir}`,
			cause,
		});
	}
}

async function open(socketDir: string, applicationName: string, database: string) {
	const client = new pg.Client({
		connectionString: socketUrl(socketDir, database),
		application_name: applicationName,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
		query_timeout: QUERY_TIMEOUT_MS,
	});
	// Without a listener an error between two queries would end the process.
	client.on("error", () => {});
	try {
		await client.connect();
	} catch (cause) {
		void client.end().catch(() => {});
		throw cause;
	}
	return client;
}

function codeOf(cause: unknown): string {
	return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

async function createDatabase(socketDir: string): Promise<void> {
	const client = await open(socketDir, "tapeline-setup", "postgres");
	try {
		await client.query("create database tapeline");
	} catch (cause) {
		// Otherwise another process created it between our two connections.
		if (!isSqlState(cause, "duplicate_database")) throw cause;
	} finally {
		await client.end();
	}
}

/**
 * Returns the first eight bytes of pg_control, in the machine's byte order (little endian
 * everywhere).
 */
function clusterIdentifier(cluster: string): string {
	const bytes = Buffer.alloc(8);
	const handle = openSync(join(cluster, "global", "pg_control"), "r");
	try {
		readSync(handle, bytes, 0, 8, 0);
	} finally {
		closeSync(handle);
	}
	return bytes.readBigUInt64LE().toString();
}

function readPid(cluster: string): number | undefined {
	try {
		const pid = Number(readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
		return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
	} catch {
		return undefined;
	}
}
