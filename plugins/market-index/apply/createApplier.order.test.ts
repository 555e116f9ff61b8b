import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import type { NewEvent } from "#plugins/market-index/contract.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/sql/limits.ts";
import {
	contractOf,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { randomTrades, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: figures are a function of the set of events, whatever way the events came in.

let database: TestDatabase;
let lab: ApplierLab;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = createApplierLab(database.db);
});
afterAll(() => database.drop());
beforeEach(() => lab.clear());

const WETH = ethereum.wrappedNative;
const HUGE = 2n ** 256n - 1n;

/** Block times as chains have them, and as none should: before 2015, far ahead, going back. */
const time = fc.oneof(
	{ weight: 6, arbitrary: fc.integer({ min: 0, max: 200_000 }).map((s) => NOW_MS - s * 1_000) },
	{ weight: 1, arbitrary: fc.constantFrom(0, -86_400_000, Date.UTC(3000, 1), Date.UTC(9999, 11)) },
);

const amount = fc.oneof(
	{ weight: 8, arbitrary: fc.bigInt(1n, 10n ** 19n) },
	{ weight: 1, arbitrary: fc.constant(HUGE) },
);

const deed = fc.record({
	kind: fc.constantFrom("sale", "sale", "mint", "transfer"),
	contract: fc.constantFrom(contractOf(0x51), contractOf(0x52)),
	quantity: fc.oneof(fc.bigInt(1n, 4n), amount),
	totalRaw: amount,
	currency: fc.constantFrom(ZERO_ADDRESS, ZERO_ADDRESS, WETH, STRANGE_COIN),
	accepted: fc.constantFrom(true, true, true, false),
	blockNumber: fc.nat(5),
	logIndex: fc.nat(3),
	subIndex: fc.nat(2),
	tokenId: fc.oneof(fc.bigInt(0n, 9n), fc.constant(HUGE)),
});

/** Events with a place of their own; all of one block have its time. */
const history = fc
	.tuple(
		fc.uniqueArray(deed, {
			minLength: 1,
			maxLength: 30,
			selector: (one) => `${one.blockNumber}.${one.logIndex}.${one.subIndex}`,
		}),
		fc.array(time, { minLength: 6, maxLength: 6 }),
	)
	.map(([deeds, times]) =>
		deeds.map((one): NewEvent => {
			const occurredAtMs = times[one.blockNumber] ?? NOW_MS;
			const make = one.kind === "mint" ? mintOf : saleOf;
			const given = one.kind === "mint" ? { ...one, currency: ZERO_ADDRESS } : one;
			return make(one.contract, { ...(given as Partial<NewEvent>), occurredAtMs });
		}),
	);

/** Batches of a history in any order, that overlap, repeat, and at last have left nothing out. */
const batchesOf = (events: readonly NewEvent[]) =>
	fc
		.array(fc.shuffledSubarray([...events], { minLength: 1 }), { maxLength: 5 })
		.chain((parts) =>
			fc.shuffledSubarray([...parts, [...events]], { minLength: parts.length + 1 }),
		);

test("[IDX-10] batches in any order, cut anywhere and replayed, leave what one run does", async () => {
	const runs = history.chain((events) => fc.tuple(fc.constant(events), batchesOf(events)));
	await fc.assert(
		fc.asyncProperty(runs, async ([events, batches]) => {
			const expected = recomputeFigures(ethereum, events);
			await lab.clear();
			for (const batch of batches) await lab.apply(ethereum, batch);
			expect(await readFigures(database.db)).toEqual(expected);
		}),
		{ numRuns: 30 },
	);
});

test("a large history in overlapping batches, as catch-up writes them, is counted once", async () => {
	const contracts = [0x61, 0x62, 0x63].map(contractOf);
	const events = randomTrades({ seed: 7, contracts, count: 1_500, days: 40 });
	const expected = recomputeFigures(ethereum, events);
	const size = COPY_ROWS_MIN + 200;
	for (let from = events.length; from > -size; from -= COPY_ROWS_MIN) {
		const batch = events.slice(Math.max(0, from), from + size);
		// Twice within one batch too: a provider's page may overlap itself.
		await lab.apply(ethereum, [...batch, ...batch.slice(0, 50)]);
	}
	await lab.apply(ethereum, events.toReversed());
	expect(await readFigures(database.db)).toEqual(expected);
	const [stored] = await database.db.query<{ count: number }>(
		"select count(*) from market_index.event",
	);
	expect(stored?.count).toBe(events.length);
});

test("lanes of two chains and two lanes of one chain write at once, and every figure is right", async () => {
	const base = { ...ethereum, id: 8453, slug: "base" };
	const trades = (seed: number) =>
		randomTrades({ seed, contracts: [contractOf(0x71), contractOf(0x72)], count: 400, days: 70 });
	const [here, there] = [trades(1), trades(2)];
	const half = (events: readonly NewEvent[], part: number) =>
		events.filter((_, index) => index % 2 === part || index % 5 === 0);
	const cut = (events: NewEvent[], size: number) =>
		Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
			events.slice(index * size, (index + 1) * size),
		);
	const lane = async (chain: typeof ethereum, events: NewEvent[], live: boolean) => {
		for (const batch of cut(events, 60)) await lab.apply(chain, batch, { live });
	};
	await Promise.all([
		lane(ethereum, half(here, 0), true),
		lane(ethereum, half(here, 1).toReversed(), false),
		lane(base, half(there, 0), true),
		lane(base, half(there, 1).toReversed(), false),
	]);
	const figures = await readFigures(database.db);
	const both = [recomputeFigures(ethereum, here), recomputeFigures(base, there)];
	const text = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
	expect(text(figures.collections)).toEqual(text(both.flatMap((one) => one.collections)));
	expect(text(figures.buckets)).toEqual(text(both.flatMap((one) => one.buckets)));
});
