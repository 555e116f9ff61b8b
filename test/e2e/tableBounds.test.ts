import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { migrateQueue } from "#core/runQueueWorkers.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const ROOT = join(import.meta.dir, "../..");
const HEADING = "## What bounds each table";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await migrateQueue(database.connectionString);
});
afterAll(() => database.drop());

type Bound = { table: string; file: string; writer: string; bound: string };

/**
 * Reads the rows of a README's section: tables in backquotes, what writes them, what bounds them.
 */
function boundsOf(file: string, text: string): Bound[] {
	const section = text.split(`${HEADING}\n`)[1]?.split("\n## ")[0] ?? "";
	return section.split("\n").flatMap((line) => {
		const [, names = "", writer = "", bound = ""] = line.split("|").map((cell) => cell.trim());
		const tables = [...names.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, table = ""]) => table);
		return tables.map((table) => ({ table, file, writer, bound }));
	});
}

async function documented(): Promise<Bound[]> {
	const pages = new Bun.Glob("plugins/*/{README,OPERATIONS}.md");
	const files = ["core/README.md", ...pages.scanSync(ROOT)];
	const bounds = await Promise.all(
		files.map(async (file) => boundsOf(file, await Bun.file(join(ROOT, file)).text())),
	);
	return bounds.flat();
}

/** Returns all tables of a migrated database; partitions count as their parent. */
async function tables(): Promise<string[]> {
	const rows = await database.db.query<{ name: string }>(
		`select n.nspname || '.' || c.relname as name
		from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind in ('r', 'p') and not c.relispartition
			and n.nspname not in ('pg_catalog', 'information_schema')
		order by name`,
	);
	return rows.map(({ name }) => name);
}

/** Returns what is wrong with a list of bounds for these tables. */
function flawsOf(existing: readonly string[], bounds: readonly Bound[]): string[] {
	const named = bounds.map(({ table }) => table);
	return [
		...existing.filter((name) => !named.includes(name)).map((name) => `${name}: no bound`),
		...bounds.flatMap(({ table, file, writer, bound }) => [
			...(existing.includes(table) ? [] : [`${table}: there is no such table (${file})`]),
			...(writer.length > 2 && bound.length > 10 ? [] : [`${table}: nothing is said (${file})`]),
		]),
		...named.filter((name, at) => named.indexOf(name) !== at).map((name) => `${name}: twice`),
	];
}

test("each table has a README that names its writer and what bounds it", async () => {
	expect(flawsOf(await tables(), await documented())).toEqual([]);
});

test("a table without a bound is found, and so is an empty bound", async () => {
	await database.db.execute("create table wallets.endless (id int8)");
	const existing = await tables();
	await database.db.execute("drop table wallets.endless");
	const bounds = boundsOf(
		"README.md",
		`${HEADING}\n| Table | Written by | Bound |\n| --- | --- | --- |\n| \`a.gone\` | a job | a row for each chain |\n| \`wallets.intent\` | a job | |\n`,
	);
	expect(flawsOf(existing, await documented())).toEqual(["wallets.endless: no bound"]);
	expect(flawsOf(["wallets.intent"], bounds)).toEqual([
		"a.gone: there is no such table (README.md)",
		"wallets.intent: nothing is said (README.md)",
	]);
});
