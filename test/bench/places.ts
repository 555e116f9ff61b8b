import { chmodSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** What may be thrown away and is slow to make again: compiled emitters, filled chains. */
export const CACHE_DIR = join(ROOT, "node_modules/.cache/tapeline-bench");

/** What is started to be measured. */
export const SERVICE_MAIN = join(ROOT, "api/cli/start.ts");

/** Where results are kept. */
export const RESULTS_FILE = join(import.meta.dir, "RESULTS.md");

/** A fresh data folder, beside the project: the disk that would hold real data is the one measured. */
export function makeDataDir(): string {
	const parent = join(ROOT, "test/.data/bench");
	mkdirSync(parent, { recursive: true });
	const dataDir = mkdtempSync(join(parent, "run-"));
	// The server runs as another user when we are root, and has to get in.
	chmodSync(dataDir, 0o755);
	return dataDir;
}
