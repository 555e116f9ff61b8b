import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tx } from "#core/db/Database.ts";
import { MINUTE_MS } from "#core/time/units.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import type { NewEvent } from "#plugins/market-index/contract.ts";
import {
	contractOf,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a live batch is sent without waiting for answers, and where they are not what was
// expected, the index is as if they had been waited for.

let database: TestDatabase;
let lab: ApplierLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createApplierLab(database.db);
});
afterAll(() => database.drop());
beforeEach(() => lab.clear());

const CATS = contractOf(0xca75);
const now = { occurredAtMs: NOW_MS - MINUTE_MS };
const topic = `collection:ethereum:${CATS}`;
const live = (events: readonly NewEvent[]) => lab.apply(ethereum, events, { live: true });
const typesTold = async () => (await lab.frames(topic)).map(({ type }) => type);

/** Holds every answer back until a statement with `text` was sent. */
function answersAfter(tx: Tx, text: string): Tx {
	const sent = Promise.withResolvers<void>();
	const held = <Answer>(statement: string, answer: Promise<Answer>) => {
		if (statement.includes(text)) sent.resolve();
		return sent.promise.then(() => answer);
	};
	return {
		...tx,
		query: (statement, values) => held(statement, tx.query(statement, values)),
		execute: (statement, values) => held(statement, tx.execute(statement, values)),
	};
}

test("[ING-04] everything about a block of known collections is sent before the first answer", async () => {
	const events = [saleOf(CATS, now), mintOf(CATS, now), saleOf(CATS, now)];
	await live(events.slice(0, 1));
	await database.db.transaction(async (raw) => {
		// The last statement of all: discover's rows of what was minted and sold.
		const tx = answersAfter(raw, "picked as");
		await lab.applier(tx, { chainId: ethereum.id, live: true, events: events.slice(1) });
	});
	expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
	expect(await typesTold()).toEqual([
		"market_event",
		"candle_update",
		"market_event",
		"market_event",
		"candle_update",
	]);
});

test("[IDX-10] what of a live block is stored already is neither counted nor told again", async () => {
	const [first, second, third] = [saleOf(CATS, now), saleOf(CATS, now), saleOf(CATS, now)];
	await live([first]);
	await live([first, second]);
	await live([first, second, third, third]);
	const events = [first, second, third];
	expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
	const told = (await lab.frames(topic)).filter(({ type }) => type === "market_event");
	expect(told).toHaveLength(3);
});

test("a collection that was dropped and met again is written under its new id", async () => {
	await live([saleOf(CATS, now)]);
	await database.db.execute("truncate market_index.event, market_index.sync");
	await database.db.execute(
		"truncate market_index.rollup_minute, market_index.rollup_hour, market_index.rollup_day",
	);
	await database.db.execute("delete from market_index.collection");
	const events = [saleOf(CATS, now), mintOf(CATS, now)];
	await live(events);
	expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
	const lost = await database.db.query(
		`select from market_index.event as e where not exists (
			select from market_index.collection as c where c.id = e.collection_id
		)`,
	);
	expect(lost).toEqual([]);
});

test("[ING-04] what was named or excluded since it was last met is told and left out as it is now", async () => {
	await live([mintOf(CATS, now)]);
	const set = (change: string) => database.db.execute(`update market_index.collection ${change}`);
	await set("set name = 'Cats', slug = 'cats'");
	await live([mintOf(CATS, now)]);
	const rows = (await lab.frames("discover:ethereum")).map(({ data }) => data);
	const named = rows.filter((row) => JSON.stringify(row).includes('"section":"mints"'));
	expect(named.at(-1)).toMatchObject({ row: { collection: { slug: "cats", name: "Cats" } } });
	await set("set excluded = true");
	const before = await readFigures(database.db);
	await live([saleOf(CATS, now)]);
	expect(await readFigures(database.db)).toEqual(before);
});

test("metadata is queued once, whether or not a block could be sent at once", async () => {
	await live([saleOf(CATS, now)]);
	lab.jobs.length = 0;
	await live([saleOf(CATS, { ...now, currency: STRANGE_COIN }), mintOf(CATS, now)]);
	expect(lab.jobs).toHaveLength(2);
	const again = mintOf(CATS, now);
	await live([again]);
	lab.jobs.length = 0;
	await live([again, mintOf(CATS, now)]);
	expect(lab.jobs).toHaveLength(1);
});
