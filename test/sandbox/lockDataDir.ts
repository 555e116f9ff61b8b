import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes this process the only sandbox on the directory.
 *
 * SQLite's file lock, because the system drops it however we end; a file with a process id would
 * have to guess whether that process is still the same one.
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
