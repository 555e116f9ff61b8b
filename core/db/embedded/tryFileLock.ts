import { Database } from "bun:sqlite";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";

export type FileLock = { release(): void };

/**
 * Held locks. A connection without a reference is closed by the garbage collector, with its lock.
 */
const held = new Set<Database>();

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

function isBusy(cause: unknown): boolean {
	const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
	return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}
