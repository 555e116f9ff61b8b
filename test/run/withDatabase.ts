import { join } from "node:path";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { testServer } from "#test/harness/testServer.ts";

const DATA_DIR = join(import.meta.dir, "../.data/postgres");

/**
 * Keeps one embedded server up for a whole run: each test file makes a database of its own there,
 * and none waits for the server to start or ends it for the others.
 */
export async function withDatabase(
	run: (env: Record<string, string>) => Promise<number>,
): Promise<number> {
	const server = await startEmbeddedServer({
		dataDir: DATA_DIR,
		log: silentLog,
		settings: testServer,
	});
	try {
		return await run({ TEST_DATABASE_ADMIN_URL: server.connectionString });
	} finally {
		await server.close();
	}
}
