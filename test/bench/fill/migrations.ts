import { join } from "node:path";
import type { Migration } from "#core/db/migrate.ts";

const ROOT = join(import.meta.dir, "../../..");

/** The migrations of an index. */
export const MIGRATIONS: readonly Migration[] = [
	{ schema: "core", folder: join(ROOT, "core/db/migrations") },
	{ schema: "chain_scanner", folder: join(ROOT, "plugins/chain-scanner/migrations") },
	{ schema: "market_index", folder: join(ROOT, "plugins/market-index/migrations") },
];
