import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Files that may be deleted and are slow to make again: compiled emitters, filled chains. */
export const CACHE_DIR = join(ROOT, "node_modules/.cache/tapeline-bench");

/** The service's entry. */
export const SERVICE_MAIN = join(ROOT, "api/cli/start.ts");

/** Where results are kept. */
export const RESULTS_FILE = join(import.meta.dir, "RESULTS.md");

/** The databases of a run, each in a folder of its own. */
export const DATA_PARENT = join(ROOT, "test/.data/bench");
