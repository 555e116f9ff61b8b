// Creates, configures and launches the embedded PostgreSQL.

import { randomUUID } from "node:crypto";
import {
	chownSync,
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
	embeddedServerFault,
	type Layout,
	runCommand,
	type ServerUser,
} from "#core/db/embedded/layout.ts";
import { findPostmaster, pollUntil, stopServer } from "#core/db/embedded/server.ts";
import { assert } from "#core/fault.ts";

export type ServerPlan = {
	native: string;
	cluster: string;
	socketDir: string;
	user: ServerUser;
	settings: Record<string, string>;
};

const INITDB_TIMEOUT_MS = 120_000;

const defaults: Record<string, string> = {
	// Committed data must survive any crash: it includes money.
	fsync: "on",
	synchronous_commit: "on",
	full_page_writes: "on",
	// Small enough for a service that shares its machine; the system's file cache does the rest.
	shared_buffers: "128MB",
	max_connections: "100",
	// There are no replicas, so the log contains only what a crash needs.
	wal_level: "minimal",
	max_wal_senders: "0",
	max_wal_size: "2GB",
	// Our statements are short: compiling them costs more than it saves. Disks are SSDs.
	jit: "off",
	random_page_cost: "1.1",
	timezone: "UTC",
	log_timezone: "UTC",
	logging_collector: "off",
	cluster_name: "tapeline",
};

/** Waits for a start: long enough to replay 2 GB of log after a crash. */
const START_TIMEOUT_S = 120;
const LEFTOVER_TIMEOUT_MS = 20_000;
const LOG_BYTES_MAX = 10_000_000;
const LOG_TAIL_CHARS = 2_000;

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
 * Creates the cluster when there is none. The caller holds the decision lock.
 *
 * It is created under another name and renamed: a cluster with its final name is complete, and the
 * next start deletes what a kill left.
 */
export async function initCluster(options: {
	layout: Layout;
	native: string;
	user: ServerUser;
}): Promise<void> {
	const { layout, native, user } = options;
	const parent = dirname(layout.cluster);
	if (!existsSync(layout.cluster)) {
		for (const name of readdirSync(parent)) {
			if (name.startsWith("making-")) rmSync(join(parent, name), { recursive: true, force: true });
		}
		const making = join(parent, `making-${randomUUID()}`);
		mkdirSync(making, { mode: 0o700 });
		if (user.prefix.length > 0) chownSync(making, user.uid, user.gid);
		const result = await runCommand([...user.prefix, ...initdb(native, making)], {
			timeoutMs: INITDB_TIMEOUT_MS,
		});
		if (result.exitCode !== 0) {
			rmSync(making, { recursive: true, force: true });
			throw embeddedServerFault.embeddedServerCommand({ detail: `initdb: ${result.output}` });
		}
		renameSync(making, layout.cluster);
		syncFolder(parent);
	}
	if (!existsSync(layout.locationFile)) {
		const inside = parent === dirname(layout.locationFile);
		writeFileSync(layout.locationFile, inside ? "." : layout.cluster, { flush: true });
	}
}

/**
 * Writes the server's whole configuration, before each start.
 *
 * It replaces postgresql.conf, so that an earlier version's settings do not remain. `fixed`
 * overrides everything: a caller cannot move the socket.
 */
export function writeSettings(options: {
	cluster: string;
	socketDir: string;
	settings: Record<string, string>;
}): void {
	const fixed = {
		listen_addresses: "",
		port: "5432",
		unix_socket_directories: options.socketDir,
		unix_socket_permissions: "0700",
	};
	const lines = ["# Written anew before each start."];
	for (const [name, value] of Object.entries({ ...defaults, ...options.settings, ...fixed })) {
		assert(/^[a-z_][a-z0-9_.]*$/i.test(name), "a setting's name is an identifier");
		lines.push(`${name} = '${quote(value)}'`);
	}
	const target = join(options.cluster, "postgresql.conf");
	// A new file instead of writing to an existing one: the folder belongs to another user.
	const fresh = join(options.cluster, "postgresql.conf.fresh");
	rmSync(fresh, { force: true });
	writeFileSync(fresh, `${lines.join("\n")}\n`, { mode: 0o644, flag: "wx" });
	renameSync(fresh, target);
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

function initdb(native: string, folder: string): string[] {
	return [
		join(native, "bin", "initdb"),
		`--pgdata=${folder}`,
		"--username=tapeline",
		// The private socket is the only way in, even if a later setting opens another.
		"--auth-local=trust",
		"--auth-host=reject",
		"--encoding=UTF8",
		// The server's own Unicode rules: no index depends on the machine's C library.
		"--locale=C",
		"--locale-provider=builtin",
		"--builtin-locale=C.UTF-8",
		"--no-instructions",
	];
}

/** Syncs a folder to disk, which makes a rename in it durable. */
function syncFolder(folder: string): void {
	const handle = openSync(folder, "r");
	fsyncSync(handle);
	closeSync(handle);
}

function quote(value: string): string {
	assert(!/[\n\r\0]/.test(value), "a setting is one line");
	return value.replaceAll("\\", "\\\\").replaceAll("'", "''");
}
