import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, SqlValue } from "#core/db/Database.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: each registry read of a trade is one index lookup, however large the registry is.

const ADDRESS: Address = `0x${"00".repeat(18)}0100`;
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute(
		`insert into trading.asset (chain_id, address, kind, uid, symbol, skeleton, name, decimals,
			status, is_listed, checked_block, checked_at, first_seen_at, changed_at)
		select 4663, decode(lpad(to_hex(n), 40, '0'), 'hex'), 'stock', n::text, 'T' || n, 'T' || n, 'x',
			18, case when n % 9 = 0 then 'rejected' else 'active' end, true, 1, now(), now(), now()
		from generate_series(1, 4000) as n`,
	);
	await database.db.execute("analyze trading.asset");
});
afterAll(() => database?.drop());

/** Returns the query plans of the statements that a read sends. */
async function plansOf(read: (db: Queryable) => Promise<unknown>): Promise<string> {
	const plans: string[] = [];
	const { db } = database;
	await read({
		async query<Row>(text: string, values?: readonly SqlValue[]) {
			const rows = await db.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
			plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
			return db.query<Row>(text, values);
		},
		execute: () => expect.unreachable(),
	});
	return plans.join("\n");
}

const after = { symbol: "T200", address: ADDRESS };
const reads: [string, (db: Queryable) => Promise<unknown>, string][] = [
	["by address", (db) => assetRows.read(db, 4_663, ADDRESS), "asset_pkey"],
	["some by their addresses", (db) => assetRows.some(db, 4_663, [ADDRESS]), "asset_pkey"],
	["by ticker", (db) => assetRows.bySymbol(db, 4_663, "T256"), "asset_listed"],
	[
		"a page",
		(db) => assetRows.page(db, { chainId: 4_663, statuses: ["active"], after, limit: 51 }),
		"asset_listed",
	],
];
for (const [what, read, index] of reads) {
	test(`${what} uses its index`, async () => {
		const plan = await plansOf(read);
		expect(plan).toContain(index);
		expect(plan).not.toMatch(/Seq Scan|Sort/);
	});
}

test("each page continues after the last row of the page before", async () => {
	const page = { chainId: 4_663, statuses: ["active"] as const, limit: 1_000 };
	const seen: string[] = [];
	let last: { symbol: string; address: Address } | null = null;
	for (let pages = 0; pages < 10; pages++) {
		const rows = await assetRows.page(database.db, { ...page, after: last });
		seen.push(...rows.map(({ symbol }) => symbol));
		last = rows.at(-1) ?? null;
		if (rows.length < page.limit) break;
	}
	expect(new Set(seen).size).toBe(seen.length);
	expect(seen).toHaveLength(4_000 - Math.floor(4_000 / 9));
});
