import { join } from "node:path";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { testServer } from "#test/harness/testServer.ts";
import { scratchFolder } from "#test/run/scratchFolder.ts";

/**
 * Keeps one embedded server up for a whole run: each test file makes a database of its own there,
 * and none waits for the server to start or ends it for the others. Their other files are in the
 * same place as the database's, which is removed in the end.
 */
export async function withDatabase(
	run: (env: Record<string, string>) => Promise<number>,
): Promise<number> {
	const scratch = await scratchFolder();
	try {
		const server = await startEmbeddedServer({
			dataDir: join(scratch.path, "database"),
			log: silentLog,
			settings: testServer,
		});
		const env = { TEST_DATABASE_ADMIN_URL: server.connectionString, TMPDIR: scratch.path };
		return await run(env).finally(() => server.close());
	} finally {
		await scratch.remove();
	}
}
