import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** What may be thrown away and is slow to make again: compiled emitters, filled chains. */
export const CACHE_DIR = join(ROOT, "node_modules/.cache/tapeline-bench");

/** What is started to be measured. */
export const SERVICE_MAIN = join(ROOT, "api/cli/start.ts");

/** Where results are kept. */
export const RESULTS_FILE = join(import.meta.dir, "RESULTS.md");

/** Where the databases of a run are, each in a folder of its own. */
export const DATA_PARENT = join(ROOT, "test/.data/bench");
