import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tx } from "#core/db/Database.ts";
import { storeEarly } from "#plugins/market-index/apply/createApplier.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import {
	contractOf,
	ETH,
	ethereum,
	mintOf,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: ApplierLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createApplierLab(database.db);
});
afterAll(() => database.drop());
beforeEach(() => lab.clear());

const CATS = contractOf(0xca75);
const DOGS = contractOf(0xd065);
const sales = (from: number, count: number, given: Partial<NewEvent> = {}) =>
	Array.from({ length: count }, (_, index) =>
		saleOf(index % 2 === 0 ? CATS : DOGS, { blockNumber: from + index, ...given }),
	);
const batchOf = (events: readonly NewEvent[]) => {
	return { chainId: ethereum.id, live: false, events };
};
const stored = async () => {
	const rows = await database.db.query<{ count: number }>(
		"select count(*)::int as count from market_index.event",
	);
	return rows[0]?.count;
};

/** As a lane does it: early, then `meanwhile`, then the rest; "undone" leaves nothing behind. */
async function early(
	events: readonly NewEvent[],
	meanwhile: () => Promise<unknown> = async () => 0,
) {
	const undone = new Error("undone");
	const store = storeEarly({ ...lab.options, hasProvider: true, rowsMin: 2 });
	const run = async (tx: Tx) => {
		const rest = await store(tx, batchOf(events));
		if (!rest) return "declined";
		await meanwhile();
		if (!(await rest(tx))) throw undone;
		return "stored";
	};
	return database.db.transaction(run).catch((error) => {
		if (error === undone) return "undone";
		throw error;
	});
}

test("[IDX-02] events that are stored early get the same figures, frames and jobs as an applied batch", async () => {
	const first = [...sales(10, 4), mintOf(CATS, { blockNumber: 20 })];
	await lab.apply(ethereum, first);
	const next = [...sales(30, 6), mintOf(DOGS, { blockNumber: 40 })];
	const before = (await lab.frames("collections:ethereum")).length;
	expect(await early(next)).toBe("stored");
	expect(await stored()).toBe(12);
	expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, [...first, ...next]));
	const frames = (await lab.frames("collections:ethereum")).slice(before);
	await lab.clear();
	await lab.apply(ethereum, first);
	const told = (await lab.frames("collections:ethereum")).length;
	await lab.apply(ethereum, next);
	expect((await lab.frames("collections:ethereum")).slice(told)).toEqual(frames);
});

test("small batches and unknown collections are not stored early, but by the applier", async () => {
	expect(await early(sales(10, 4))).toBe("declined");
	await lab.apply(ethereum, sales(10, 4));
	expect(await early(sales(30, 1))).toBe("declined");
	expect(await stored()).toBe(4);
});

test("early storing of a batch with a stored event is rolled back completely", async () => {
	const first = sales(10, 4);
	await lab.apply(ethereum, first);
	const figures = await readFigures(database.db);
	expect(await early([...sales(30, 3), ...first.slice(3)])).toBe("undone");
	expect(await stored()).toBe(4);
	expect(await readFigures(database.db)).toEqual(figures);
});

test("a collection that was renamed before the lock was taken keeps its early stored rows", async () => {
	await lab.apply(ethereum, sales(10, 4));
	const name = () =>
		database.db.execute("update market_index.collection set name = 'Cats', slug = id::text");
	expect(await early(sales(30, 4), name)).toBe("stored");
	expect(await stored()).toBe(8);
});

test("early storing is undone if a collection, a provider's sale or a price changed before the lock was held", async () => {
	await lab.apply(ethereum, sales(10, 4));
	const next = sales(30, 4);
	const strange = sales(50, 4, { currency: STRANGE_COIN, totalRaw: ETH });
	const exclude = () =>
		database.db.execute("update market_index.collection set excluded = true where address = $1", [
			Buffer.from(DOGS.slice(2), "hex"),
		]);
	expect(await early(next, exclude)).toBe("undone");
	await database.db.execute("update market_index.collection set excluded = false");
	const tell = () =>
		database.db.execute(
			`insert into market_index.unconfirmed
				(chain_id, transaction_hash, collection_id, kind, token_id, block_number, log_index,
					sub_index, occurred_at)
			select $1, $2, id, 0, 1, 30, 2000000000, 0, now() from market_index.collection limit 1`,
			[ethereum.id, Buffer.from(next[0]?.transactionHash.slice(2) ?? "", "hex")],
		);
	expect(await early(next, tell)).toBe("undone");
	const price = async () =>
		lab.prices.set({ chainId: ethereum.id, currency: STRANGE_COIN, usd: 1, fromMs: 0 });
	lab.prices.setEth(1_000);
	expect(await early(strange, price)).toBe("undone");
	expect(await stored()).toBe(4);
	expect(await early(strange)).toBe("stored");
});
