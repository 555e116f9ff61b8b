import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Queryable, SqlValue } from "#core/db/Database.ts";
import { claimTurn, type TurnKind } from "#plugins/market-index/sync/walk/turns.ts";
import { ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whose turn it is is found by an index, however many collections there are.

const COLLECTIONS = 20_000;

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	const { db } = database;
	await db.execute(
		`insert into market_index.collection (chain_id, address, standard, slug)
		select $1, decode(lpad(to_hex(n), 40, '0'), 'hex'), 'erc721', 'c' || n
		from generate_series(1, ${COLLECTIONS}) as n`,
		[ethereum.id],
	);
	// A tenth has its first day still to come; all others were read a minute ago.
	await db.execute(
		`insert into market_index.sync (collection_id, chain_id, provider_slug, lean_at,
			events_from, events_until)
		select id, chain_id, slug, $1::timestamptz - interval '1 minute' - id * interval '1 ms',
			case when id % 10 > 0 then $1::timestamptz - interval '1 day' end,
			case when id % 10 > 0 then $1::timestamptz - interval '1 minute' end
		from market_index.collection`,
		[new Date(NOW_MS)],
	);
	await db.execute("analyze");
});
afterAll(() => database.drop());

const claimOf = (kind: TurnKind) => {
	return { kind, chainIds: [ethereum.id], nowMs: NOW_MS, everyMs: 18_000 };
};

/** The plan of a claim, as it is made for the statement that really runs, and how that went. */
async function planOf(kind: TurnKind): Promise<string> {
	let plan = "";
	const undone = new Error("undone");
	const explaining = (tx: Queryable): Queryable => ({
		async query<Row>(text: string, values: readonly SqlValue[] = []): Promise<Row[]> {
			const rows = await tx.query<{ "QUERY PLAN": string }>(`explain (analyze) ${text}`, values);
			plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
			throw undone;
		},
		execute: tx.execute,
	});
	const claimed = database.db.transaction((tx) => claimTurn(explaining(tx), claimOf(kind)));
	await expect(claimed).rejects.toBe(undone);
	return plan;
}

/** Rows that were read and put aside again. */
function readInVain(plan: string): number {
	const removed = [...plan.matchAll(/Rows Removed by (?:\w+ )*Filter: (\d+)/g)];
	return removed.reduce((sum, [, rows]) => sum + Number(rows), 0);
}

test("first days and refreshes are each found by their index, in its order", async () => {
	const first = await planOf("first");
	expect(first).toContain("sync_first");
	const refresh = await planOf("refresh");
	for (const index of ["sync_walking", "sync_held", "sync_foreign"]) {
		expect(refresh).toContain(index);
	}
	for (const plan of [first, refresh]) {
		expect(plan).not.toContain("Seq Scan on sync");
		expect(readInVain(plan)).toBeLessThanOrEqual(1);
	}
});

test("each collection is claimed once, the one with the oldest turn first", async () => {
	const claims = await Promise.all(
		Array.from({ length: 20 }, () => claimTurn(database.db, claimOf("first"))),
	);
	const ids = claims.map((turn) => turn?.id ?? -1);
	expect(new Set(ids).size).toBe(20);
	expect(Math.min(...ids)).toBeGreaterThan(COLLECTIONS - 10 * 21);
	expect(ids.every((id) => id % 10 === 0)).toBe(true);
});

test("while lanes are level, only collections that lanes cannot cover are due", async () => {
	const { db } = database;
	await db.execute(
		`insert into market_index.chain_span (chain_id, level_from, level_until)
		values ($1, $2, $3)`,
		[ethereum.id, new Date(NOW_MS - 3_600_000), new Date(NOW_MS - 1_000)],
	);
	expect(await claimTurn(db, claimOf("refresh"))).toBeNull();
	// That nothing is due is seen without reading what is not.
	const plan = await planOf("refresh");
	expect(plan).toMatch(/Append .*rows=0(\.00)? loops=1/);
	expect(readInVain(plan)).toBe(0);
	const at = (agoMs: number) => `'${new Date(NOW_MS - agoMs).toISOString()}'`;
	const due: [number, string][] = [
		[11, `lean_at = ${at(601_000)}`],
		[12, `foreign_until = ${at(-1_000)}`],
		[13, "lean_at = null"],
		[14, `walk_until = ${at(0)}`],
	];
	for (const [id, assignment] of due) {
		await db.execute(`update market_index.sync set ${assignment} where collection_id = $1`, [id]);
	}
	// One after the other: of two that look at once one may find nothing left.
	const claimed = new Set<number | undefined>();
	for (const _ of due) claimed.add((await claimTurn(db, claimOf("refresh")))?.id);
	expect(claimed).toEqual(new Set([11, 12, 13, 14]));
	expect(await claimTurn(db, claimOf("refresh"))).toBeNull();
});
