import { join } from "node:path";
import { Client } from "pg";
import type { Database } from "#core/db/Database.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log/silentLog.ts";

export type TestDatabase = {
	db: Database;
	connectionString: string;
	/** Closes `db`, drops the database and lets the server go. */
	drop(): Promise<void>;
};

const ROOT = join(import.meta.dir, "../..");

const MIGRATIONS = [
	{ schema: "core", folder: join(ROOT, "core/db/migrations") },
	{ schema: "chain_scanner", folder: join(ROOT, "plugins/chain-scanner/migrations") },
	{ schema: "market_index", folder: join(ROOT, "plugins/market-index/migrations") },
	{ schema: "prices", folder: join(ROOT, "plugins/prices/migrations") },
	{ schema: "provider", folder: join(ROOT, "plugins/provider/migrations") },
];

/**
 * A migrated database of its own for one test file, on the server of TEST_DATABASE_ADMIN_URL or on
 * the embedded one that all test processes share.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
	const server = await joinServer();
	const worker = process.env.BUN_TEST_WORKER_ID ?? "0";
	const name = `test_${worker}_${process.pid}_${crypto.randomUUID().slice(0, 8)}`;
	await administer(server.connectionString, `create database ${name}`);
	// Not by `URL`: it refuses the form without a host that stands for a socket.
	const connectionString = server.connectionString.replace(/(\/\/[^/]*\/)[^?]*/, `$1${name}`);
	await migrate(connectionString, MIGRATIONS, silentLog);
	const db = openDatabase({
		connectionString,
		connectionsMax: 4,
		applicationName: "tapeline test",
		log: silentLog,
	});
	return {
		db,
		connectionString,
		async drop() {
			await db.close();
			await administer(server.connectionString, `drop database ${name} with (force)`);
			await server.close();
		},
	};
}

async function joinServer(): Promise<{ connectionString: string; close(): Promise<void> }> {
	const connectionString = process.env.TEST_DATABASE_ADMIN_URL;
	if (connectionString) return { connectionString, close: async () => {} };
	return startEmbeddedServer({ dataDir: join(ROOT, "test/.data/postgres"), log: silentLog });
}

async function administer(connectionString: string, statement: string): Promise<void> {
	const client = new Client({ connectionString });
	await client.connect();
	try {
		await client.query(statement);
	} finally {
		await client.end();
	}
}
