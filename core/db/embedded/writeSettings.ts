import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "#core/fault/assert.ts";

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

function quote(value: string): string {
	assert(!/[\n\r\0]/.test(value), "a setting is one line");
	return value.replaceAll("\\", "\\\\").replaceAll("'", "''");
}
