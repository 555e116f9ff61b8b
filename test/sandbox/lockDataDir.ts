import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes this process the only sandbox on the directory; throws if another one runs there.
 *
 * It uses SQLite's file lock, because the system releases it however the process ends; with a file
 * that holds a process id, that id may belong to another process by now.
 */
export function lockDataDir(dataDir: string): { release(): void } {
	mkdirSync(dataDir, { recursive: true });
	const database = new Database(join(dataDir, "sandbox.lock"));
	try {
		database.run("PRAGMA locking_mode = EXCLUSIVE");
		database.run("BEGIN EXCLUSIVE");
	} catch (cause) {
		throw new Error(`another sandbox runs on ${dataDir}`, { cause });
	}
	return { release: () => database.close() };
}
