import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as drizzleMigrate } from "drizzle-orm/node-postgres/migrator";
import { Client } from "pg";
import { z } from "zod";
import { dbFault } from "#core/db/faults.ts";
import type { Log } from "#core/log/Log.ts";

/** One owner's schema and the folder that builds it (drizzle's layout: `*.sql`, `meta/_journal.json`). */
export type Migration = { schema: string; folder: string };

/** "tape" in ASCII. Any constant will do; it must only be the same in every process. */
const MIGRATION_LOCK_KEY = 0x74617065;
const APPLIED_TABLE = "migrations";

const journalSchema = z.object({
	entries: z.array(z.object({ tag: z.string(), when: z.int() })),
});

/**
 * Brings every schema to this build's version, forward only.
 *
 * All of it happens under one advisory lock on the connection that migrates: drizzle takes none,
 * and three processes that start together would fail on each other. Drizzle also skips, silently,
 * a migration that is dated before the newest applied one; that is refused here by count.
 */
export async function migrate(
	connectionString: string,
	migrations: readonly Migration[],
	log: Log,
): Promise<void> {
	const client = new Client({ connectionString, application_name: "tapeline migrate" });
	await client.connect();
	try {
		await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK_KEY]);
		for (const migration of migrations) await migrateOne(client, migration, log);
	} finally {
		await client.end();
	}
}

async function migrateOne(client: Client, { schema, folder }: Migration, log: Log): Promise<void> {
	const known = await readJournal(folder);
	const before = await appliedCount(client, schema);
	if (before > known) {
		throw dbFault.schemaTooNew({ public: tooNewText(schema, before, known) });
	}
	await drizzleMigrate(drizzle(client), {
		migrationsFolder: folder,
		migrationsSchema: schema,
		migrationsTable: APPLIED_TABLE,
	});
	const after = await appliedCount(client, schema);
	if (after !== known) {
		throw dbFault.migrationSkipped({ detail: `${schema}: ${after} of ${known} applied` });
	}
	if (after > before) log.info("migrated", { schema, from: before, to: after });
}

async function readJournal(folder: string): Promise<number> {
	const text = await readFile(join(folder, "meta", "_journal.json"), "utf8");
	return journalSchema.parse(JSON.parse(text)).entries.length;
}

async function appliedCount(client: Client, schema: string): Promise<number> {
	const table = `"${schema}"."${APPLIED_TABLE}"`;
	const found = await client.query("select to_regclass($1) as name", [table]);
	if (found.rows[0]?.name === null) return 0;
	const counted = await client.query(`select count(*)::int as n from ${table}`);
	return Number(counted.rows[0]?.n);
}

function tooNewText(schema: string, applied: number, known: number): string {
	return (
		`The database's schema "${schema}" is at version ${applied}, and this build knows ` +
		`${known}. Run the build that migrated it, or restore an older database.`
	);
}
