// Reads documents into rows in the barest way: fetch, parse, one INSERT for 200. Nothing is
// checked, looked up, counted or ranked. Prints the seconds as one JSON line. Arguments: the
// database, the URL that documents are below, their number.
import { Pool } from "pg";

const [connectionString = "", base = "", count = ""] = process.argv.slice(2);
const IN_FLIGHT = 24;
const PART = 200;

const pool = new Pool({ connectionString, max: 4 });
await pool.query("create table bare_token (id int8 primary key, name text, traits jsonb)");

type Document = { name: string; attributes: unknown[] };
let next = 0;
let read: (Document & { id: number })[] = [];

async function write(): Promise<void> {
	const part = read;
	read = [];
	await pool.query(
		"insert into bare_token select * from unnest($1::int8[], $2::text[], $3::jsonb[])",
		[
			part.map(({ id }) => id),
			part.map(({ name }) => name),
			part.map(({ attributes }) => JSON.stringify(attributes)),
		],
	);
}

async function work(): Promise<void> {
	while (next < Number(count)) {
		const id = next++;
		const response = await fetch(`${base}/${id}`);
		read.push({ id, ...((await response.json()) as Document) });
		if (read.length >= PART) await write();
	}
}

const beganMs = performance.now();
await Promise.all(Array.from({ length: IN_FLIGHT }, work));
await write();
const seconds = (performance.now() - beganMs) / 1_000;
await pool.end();
process.stdout.write(`${JSON.stringify({ seconds })}\n`);
