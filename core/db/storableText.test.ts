import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Database, storableText } from "#core/db/Database.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: no word of a node, a provider, a router, a bridge, a wallet provider or X makes a
// statement fail: PostgreSQL takes it in each kind of column, and only what no text may hold is
// replaced.

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
	database = await createTestDatabase();
	({ db } = database);
});
afterAll(() => database?.drop());

const HOSTILE: readonly [name: string, words: string][] = [
	["a NUL", "execution reverted: \u0000sold\u0000 out"],
	["halves of surrogate pairs", "\ud83d a \udc00 b \ud83d"],
	["control characters", "\u0001\u0007\u001b[2J\u007f\u0085\u202e\r\n\t"],
	["escapes as text", "\\u0000 \\\\u0000 \\ud800 \\"],
	["ten megabytes", `${"x".repeat(10 * 1024 * 1024)}\u0000`],
];

type Column = { name: string; type: string; kind: string };

/** Returns all columns that hold texts, of all plugins, each with the base type of its domain. */
async function columns(): Promise<Column[]> {
	return await db.query<Column>(
		`select table_schema || '.' || table_name || '.' || column_name as name,
			data_type as type, udt_name as kind
		from information_schema.columns
		where table_schema not in ('pg_catalog', 'information_schema', 'graphile_worker')
			and (data_type in ('text', 'json', 'jsonb', 'character varying')
				or udt_name in ('_text', '_varchar', '_json', '_jsonb'))
		order by 1`,
		[],
	);
}

for (const [what, words] of HOSTILE) {
	test(`${what} can be stored in every text column`, async () => {
		const all = await columns();
		expect(all.length).toBeGreaterThan(150);
		const kinds = new Set(all.map(({ kind }) => kind));
		for (const kind of kinds) {
			const isJson = kind.includes("json");
			const one = isJson ? JSON.stringify({ [words.slice(0, 40)]: words }) : words;
			const value = kind.startsWith("_") ? [one, one] : one;
			const type = kind.startsWith("_") ? `${kind.slice(1)}[]` : kind;
			const [row] = await db.query<{ kept: boolean }>(`select ($1::${type}) is not null as kept`, [
				value,
			]);
			expect({ kind, kept: row?.kept }).toEqual({ kind, kept: true });
		}
	});
}

test("a text that PostgreSQL can store is not changed, plain or in JSON", async () => {
	await fc.assert(
		fc.asyncProperty(fc.string({ unit: "grapheme" }), async (given) => {
			const text = given.replaceAll("\0", "");
			if (!/\\u/i.test(text)) expect(storableText(text)).toBe(text);
			const json = JSON.stringify({ text });
			const [row] = await db.query<{ text: string }>("select $1::jsonb->>'text' as text", [json]);
			expect(row?.text).toBe(text);
		}),
		{ numRuns: 200 },
	);
	expect(storableText('"\\\\u0000"')).toBe('"\\\\u0000"');
	expect(storableText('"\\ud83d\\ude00"')).toBe('"\\ud83d\\ude00"');
	expect(storableText('"\\u0000\\ud83d"')).toBe('"\\ufffd\\ufffd"');
});
