// Creates a migrated database for one test file.

import { join } from "node:path";
import { Client } from "pg";
import type { Database } from "#core/db/Database.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";

export type TestDatabase = {
	db: Database;
	connectionString: string;
	/** Closes `db`, drops the database and releases the server. */
	drop(): Promise<void>;
};

/**
 * Settings of the tests' server. Its data need not survive a power cut, and waiting for the disk is
 * most of the time of creating a database. Tests of durability have their own servers.
 */
export const testServer: Readonly<Record<string, string>> = {
	fsync: "off",
	full_page_writes: "off",
	// Many files at once, some of them with services of several processes.
	max_connections: "400",
};

/** Locks between test processes that would make the same template. */
const TEMPLATE_LOCK_KEY = 7_401_664;
const ROOT = join(import.meta.dir, "../..");

/** Contains the version of the queue's library, which determines its tables. */
const QUEUE = join(ROOT, "node_modules/graphile-worker/package.json");

const MIGRATIONS = [
	{ schema: "core", folder: join(ROOT, "core/db/migrations") },
	{ schema: "chain_scanner", folder: join(ROOT, "plugins/chain-scanner/migrations") },
	{ schema: "market_index", folder: join(ROOT, "plugins/market-index/migrations") },
	{ schema: "prices", folder: join(ROOT, "plugins/prices/migrations") },
	{ schema: "wallets", folder: join(ROOT, "plugins/wallets/migrations") },
	{ schema: "provider", folder: join(ROOT, "plugins/provider/migrations") },
	{ schema: "reveal_snipe", folder: join(ROOT, "plugins/reveal-snipe/migrations") },
	{ schema: "social", folder: join(ROOT, "plugins/social/migrations") },
	{ schema: "bridge", folder: join(ROOT, "plugins/bridge/migrations") },
	{ schema: "trading", folder: join(ROOT, "plugins/trading/migrations") },
	{ schema: "tokenomics", folder: join(ROOT, "plugins/tokenomics/migrations") },
	{ schema: "streams", folder: join(ROOT, "plugins/streams/migrations") },
];

let template: Promise<string> | null = null;

/**
 * Creates a migrated database for one test file, on the server of TEST_DATABASE_ADMIN_URL or on the
 * embedded one that all test processes share.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
	const server = await joinServer();
	const worker = process.env.BUN_TEST_WORKER_ID ?? "0";
	const name = `test_${worker}_${process.pid}_${crypto.randomUUID().slice(0, 8)}`;
	const like = `template ${await migratedTemplate(server.connectionString)} strategy file_copy`;
	await administer(server.connectionString, `create database ${name} ${like}`);
	const connectionString = databaseOf(server.connectionString, name);
	const db = openDatabase({
		connectionString,
		connectionsMax: 4,
		applicationName: "tapeline test",
		log: silentLog,
	});
	// A copy is a deployment of its own.
	await db.execute("update core.stream_epoch set epoch = gen_random_uuid()::text");
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
	const dataDir = join(ROOT, "test/.data/postgres");
	return startEmbeddedServer({ dataDir, log: silentLog, settings: testServer });
}

/**
 * Returns the name of the template database, migrated once for all test processes. The name depends
 * on the contents of the migrations, so a change makes a new one; it gets its name when it is
 * complete.
 */
function migratedTemplate(server: string): Promise<string> {
	template ??= makeTemplate(server);
	return template;
}

async function makeTemplate(server: string): Promise<string> {
	const name = `template_${await fingerprint()}`;
	const client = new Client({ connectionString: server });
	await client.connect();
	try {
		await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK_KEY]);
		const there = await client.query("select 1 from pg_database where datname = $1", [name]);
		if (there.rowCount) return name;
		const making = `making_${name}`;
		await client.query(`drop database if exists ${making} with (force)`);
		await client.query(`create database ${making}`);
		await migrate(databaseOf(server, making), MIGRATIONS, silentLog);
		await migrateQueue(databaseOf(server, making));
		await client.query(`alter database ${making} rename to ${name}`);
		return name;
	} finally {
		await client.end();
	}
}

async function fingerprint(): Promise<string> {
	const hash = new Bun.CryptoHasher("sha256");
	hash.update(await Bun.file(QUEUE).text());
	for (const { schema, folder } of MIGRATIONS) {
		const files = [...new Bun.Glob("**/*.{sql,json}").scanSync(folder)].sort();
		for (const file of files) {
			hash.update(`${schema}/${file}\n${await Bun.file(join(folder, file)).text()}`);
		}
	}
	return hash.digest("hex").slice(0, 16);
}

/**
 * Returns the URL of a database. Not by `URL`: it refuses the form without a host, which means a
 * socket.
 */
function databaseOf(server: string, name: string): string {
	return server.replace(/(\/\/[^/]*\/)[^?]*/, `$1${name}`);
}

/**
 * Migrates the queue's tables as a service's first start would: this saves a tenth of a second per
 * test.
 */
async function migrateQueue(connectionString: string): Promise<void> {
	// Only the process that makes the template must load it.
	const { runMigrations } = await import("graphile-worker");
	await runMigrations({ connectionString });
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
