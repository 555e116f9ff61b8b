// Migrates the database, and reads its time and its snapshot.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
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

/** One owner's migrations in this build, oldest first, and the dates of those that were applied. */
type Owned = Migration & { known: { tag: string; when: number }[]; applied: readonly number[] };

/**
 * Brings every schema to this build's version, forward only.
 *
 * All of it runs under one advisory lock on the connection that migrates: three processes that
 * start together would fail on each other. A migration that is dated before the newest applied one
 * is refused, before anything is applied.
 *
 * What an owner lacks is one request, and one transaction: of all owners in an empty database, else
 * of each. A database with nothing to do is asked three questions.
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
		const journals = Promise.all(migrations.map(({ folder }) => readJournal(folder)));
		journals.catch(() => {});
		await client.connect().catch((cause) => {
			throw dbFault.databaseUnreachable({ detail: String(cause), cause });
		});
		await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK_KEY]);
		const applied = await readApplied(
			client,
			migrations.map(({ schema }) => schema),
		);
		const known = await journals;
		const owned = migrations.map((migration, index): Owned => {
			const { schema } = migration;
			return { ...migration, known: known[index] ?? [], applied: applied.get(schema) ?? [] };
		});
		for (const one of owned) refuseForeign(one);
		await applyAll(client, owned, log);
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

async function applyAll(client: Client, owned: readonly Owned[], log: Log): Promise<void> {
	const behind = owned.filter(({ known, applied }) => {
		return known.some(({ when }) => !applied.includes(when));
	});
	const isEmpty = owned.every(({ applied }) => applied.length === 0);
	const groups = isEmpty ? [behind] : behind.map((one) => [one]);
	for (const group of groups) {
		if (group.length === 0) continue;
		await client.query("begin");
		for (const { schema, folder, known, applied } of group) {
			const missing = known.filter(({ when }) => !applied.includes(when));
			try {
				await client.query(statementsOf({ schema, folder, missing }));
			} catch (error) {
				log.error("a migration failed, and is undone", { schema, error });
				throw error;
			}
		}
		await client.query("commit");
		for (const { schema, known, applied } of group) {
			log.info("migrated", { schema, from: applied.length, to: known.length });
		}
	}
}

/** Returns an owner's missing migrations as one text, with the rows that say they were applied. */
function statementsOf(given: Migration & { missing: Owned["known"] }): string {
	const { schema, folder, missing } = given;
	const table = tableOf(schema);
	const parts = [
		`create schema if not exists "${schema}"`,
		`create table if not exists ${table}
			(id serial primary key, hash text not null, created_at bigint)`,
	];
	const isMissing = new Set(missing.map(({ when }) => when));
	for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: folder })) {
		if (!isMissing.has(folderMillis)) continue;
		parts.push(...sql);
		parts.push(`insert into ${table} (hash, created_at) values ('${hash}', ${folderMillis})`);
	}
	// On a line of its own: a file may end with a comment.
	return parts.join("\n;\n");
}

function tableOf(schema: string): string {
	return `"${schema}"."${APPLIED_TABLE}"`;
}

/** Returns this build's migrations; their dates identify them, as with drizzle. */
async function readJournal(folder: string): Promise<Owned["known"]> {
	const text = await readFile(join(folder, "meta", "_journal.json"), "utf8");
	return journalSchema.parse(JSON.parse(text)).entries;
}

/** Returns the dates of what was applied, by schema; those without any are left out. */
async function readApplied(
	client: Client,
	schemas: readonly string[],
): Promise<Map<string, number[]>> {
	const applied = new Map<string, number[]>();
	const found = await client.query(
		"select schemaname as schema from pg_tables where tablename = $1 and schemaname = any($2)",
		[APPLIED_TABLE, schemas],
	);
	if (found.rows.length === 0) return applied;
	const reads = found.rows.map(({ schema }) => {
		return `select '${schema}' as schema, created_at from ${tableOf(schema)}`;
	});
	const { rows } = await client.query(reads.join(" union all "));
	for (const { schema, created_at } of rows) {
		applied.set(schema, [...(applied.get(schema) ?? []), Number(created_at)]);
	}
	return applied;
}

/** Throws for a database of a newer or another build, and for a migration that came too late. */
function refuseForeign({ schema, known: entries, applied }: Owned): void {
	const known = entries.map(({ when }) => when);
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
