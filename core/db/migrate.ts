// Migrates the database, and reads its time and its snapshot.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as drizzleMigrate } from "drizzle-orm/node-postgres/migrator";
import { Client } from "pg";
import { z } from "zod";
import { databaseFaultOf, dbFault, type Queryable } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { Log } from "#core/log.ts";

/** Holds one owner's schema and its folder in drizzle's layout: `*.sql`, `meta/_journal.json`. */
export type Migration = { schema: string; folder: string };

/** "tape" in ASCII. Any constant works if it is the same in every process. */
const MIGRATION_LOCK_KEY = 0x74617065;
const APPLIED_TABLE = "migrations";
const CONNECT_TIMEOUT_MS = 10_000;

const journalSchema = z.object({
	entries: z.array(z.object({ tag: z.string(), when: z.int() })),
});

/**
 * Brings every schema to this build's version, forward only.
 *
 * All of it runs under one advisory lock on the connection that migrates: drizzle takes none, and
 * three processes that start together would fail on each other. Drizzle also silently skips a
 * migration that is dated before the newest applied one; that is refused here, before anything is
 * applied.
 */
export async function migrate(
	connectionString: string,
	migrations: readonly Migration[],
	log: Log,
): Promise<void> {
	const client = new Client({
		connectionString,
		application_name: "tapeline migrate",
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
	});
	// A broken connection fails the statement; without a listener it would end the process.
	client.on("error", () => {});
	try {
		await client.connect().catch((cause) => {
			throw dbFault.databaseUnreachable({ detail: String(cause), cause });
		});
		await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK_KEY]);
		for (const migration of migrations) await migrateOne(client, migration, log);
	} finally {
		await client.end();
	}
}

/** Returns the database's time in Unix ms: the one clock that all processes share. */
export async function databaseTime(db: Queryable): Promise<number> {
	const [row] = await db.query<{ ms: number }>(
		"select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
	);
	assert(row !== undefined, "the statement has one row");
	return Math.floor(row.ms);
}

/**
 * Reads data that was just committed, for an answer. If the database fails in between, this throws
 * `outcome_unknown`: "try again" would be wrong advice, because the work is done.
 */
export async function readBack<Result>(read: () => Promise<Result>): Promise<Result> {
	try {
		return await read();
	} catch (error) {
		throw databaseFaultOf(error) ? dbFault.outcomeUnknown({ cause: error }) : error;
	}
}

/**
 * Returns the state of finished transactions as text: two equal texts mean that nothing was
 * committed in between, so rows read since the first are still current (PostgreSQL,
 * `pg_current_snapshot`).
 *
 * It says nothing about other parts of an answer (time, a process's memory).
 */
export async function readSnapshot(db: Queryable): Promise<string> {
	const [row] = await db.query<{ snapshot: string }>(
		"select pg_current_snapshot()::text as snapshot",
	);
	return row?.snapshot ?? "";
}

async function migrateOne(client: Client, { schema, folder }: Migration, log: Log): Promise<void> {
	const known = await readJournal(folder);
	const before = await readApplied(client, schema);
	refuseForeign({ schema, known, applied: before });
	await drizzleMigrate(drizzle(client), {
		migrationsFolder: folder,
		migrationsSchema: schema,
		migrationsTable: APPLIED_TABLE,
	});
	const after = await readApplied(client, schema);
	if (after.length !== known.length) {
		const detail = `${schema}: ${after.length} of ${known.length} applied`;
		throw dbFault.migrationSkipped({ detail });
	}
	if (after.length > before.length) {
		log.info("migrated", { schema, from: before.length, to: after.length });
	}
}

/** Returns the dates of this build's migrations, by which drizzle identifies them. */
async function readJournal(folder: string): Promise<number[]> {
	const text = await readFile(join(folder, "meta", "_journal.json"), "utf8");
	return journalSchema.parse(JSON.parse(text)).entries.map(({ when }) => when);
}

async function readApplied(client: Client, schema: string): Promise<number[]> {
	const table = `"${schema}"."${APPLIED_TABLE}"`;
	const found = await client.query("select to_regclass($1) as name", [table]);
	if (found.rows[0]?.name === null) return [];
	const applied = await client.query(`select created_at from ${table}`);
	return applied.rows.map((row) => Number(row.created_at));
}

/** Throws for a database of a newer or another build, and for a migration that came too late. */
function refuseForeign(state: { schema: string; known: number[]; applied: number[] }): void {
	const { schema, known, applied } = state;
	if (applied.some((when) => !known.includes(when))) {
		throw dbFault.schemaTooNew({ public: tooNewText(schema, applied.length, known.length) });
	}
	const newest = Math.max(...applied);
	const skipped = known.filter((when) => when <= newest && !applied.includes(when));
	if (skipped.length > 0) {
		throw dbFault.migrationSkipped({
			detail: `${schema}: dated ${skipped.join(", ")}, and ${newest} is already applied`,
		});
	}
}

function tooNewText(schema: string, applied: number, known: number): string {
	return (
		`The database's schema "${schema}" has ${applied} migrations, not all of which are among ` +
		`the ${known} of this build. Run the build that migrated it, or restore an older database.`
	);
}
