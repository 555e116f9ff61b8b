import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { auditFault } from "#core/audit/faults.ts";

const LOCATION = "postgres/location";
/** More worlds than this are not listed: the first few show where to look. */
const WORLDS_MAX = 5;

/**
 * Throws where DATA_DIR has no embedded database yet, and names those of its sandbox worlds.
 *
 * Opening one there would make it, and an audit of a database that is a second old proves nothing.
 */
export function refuseNewDataDir(dataDir: string): void {
	if (existsSync(join(dataDir, LOCATION))) return;
	const sandbox = join(dataDir, "sandbox");
	const worlds = existsSync(sandbox)
		? [...new Bun.Glob(`*/${LOCATION}`).scanSync({ cwd: sandbox, dot: true })]
		: [];
	const folders = worlds.slice(0, WORLDS_MAX).map((path) => join(sandbox, path, "../.."));
	const hint = folders.map((folder) => `\nA sandbox's database is there: DATA_DIR=${folder}`);
	throw auditFault.noEntries({
		public: `There is no database in DATA_DIR (${resolve(dataDir)}), and none was made. Set DATABASE_URL or DATA_DIR to the one to check.${hint.join("")}`,
	});
}
