import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { Hex } from "#core/chain/Hex.ts";
import type { CheckedQuote } from "#plugins/bridge/quote/checkQuote.ts";
import { insertQuote, knownPart, readQuote, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import { createLieLab, type LieLab } from "#plugins/bridge/testing/createLieLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: an order is one quote's, also where two are stored in a moment, or were stored before.

const MIGRATION = join(import.meta.dir, "../migrations/0005_shown.sql");
const OTHER: Hex = `0x${"0e".repeat(32)}`;

let database: TestDatabase;
let lab: LieLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createLieLab(database.db);
});
afterAll(() => database?.drop());
beforeEach(() => lab.fresh());

const store = (bridgeId: string, { told, ...quote }: StoredQuote) =>
	database.db.transaction((tx) => insertQuote(tx, { bridgeId, quote, told, at: new Date() }));
async function two(): Promise<{ first: StoredQuote; otherId: string }> {
	const [one, other] = [await lab.deposited(), await lab.deposited()];
	const first = await readQuote(database.db, { bridgeId: one.id, seq: 1 });
	if (!first) throw new Error("the quote is not there");
	return { first, otherId: other.id };
}
const known = (quote: CheckedQuote) => knownPart(database.db, quote);

test("a quote that names the order or the request of another one is known for it", async () => {
	const { first } = await two();
	expect(await known({ ...first, requestId: OTHER })).toBe("order");
	expect(await known({ ...first, orderId: OTHER })).toBe("order");
	expect(await known({ ...first, orderId: OTHER, requestId: OTHER })).toBeNull();
});

test("two quotes of one order are not both stored", async () => {
	const { first, otherId } = await two();
	expect(store(otherId, { ...first, requestId: OTHER })).rejects.toThrow();
	expect(await store(otherId, { ...first, requestId: OTHER, orderId: OTHER })).toBe(2);
});

test("quotes that shared an order before stay readable, and the first of them has it", async () => {
	const { first, otherId } = await two();
	await database.db.execute("drop index bridge.quote_order");
	await store(otherId, { ...first, requestId: OTHER });
	const text = await Bun.file(MIGRATION).text();
	const statements = text.split("--> statement-breakpoint").filter((one) => /quote/.test(one));
	await database.db.execute("alter table bridge.quote drop column is_sole");
	for (const statement of statements) await database.db.execute(statement);
	const rows = await database.db.query<{ bridgeId: string; isSole: boolean }>(
		`select bridge_id as "bridgeId", is_sole as "isSole" from bridge.quote
		where order_id = decode($1, 'hex') order by bridge_id`,
		[first.orderId.slice(2)],
	);
	expect(rows).toEqual([
		{ bridgeId: first.bridgeId, isSole: true },
		{ bridgeId: otherId, isSole: false },
	]);
	const stored = await readQuote(database.db, { bridgeId: otherId, seq: 2 });
	expect(stored?.orderId).toBe(first.orderId);
});
