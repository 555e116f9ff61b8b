import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox } from "#core/outbox.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { createApplierLab } from "#plugins/market-index/apply/testing/applierLab.ts";
import { readFigures } from "#plugins/market-index/apply/testing/figures.ts";
import { collectionTopic, type NewEvent } from "#plugins/market-index/model.ts";
import {
	createRepricer,
	REPRICE_ROWS_MAX,
	type RepriceOptions,
	repricePart,
} from "#plugins/market-index/reprice/createRepricer.ts";
import {
	contractOf,
	ETH,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { randomTrades, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => createApplierLab(database.db).clear());

const CATS = contractOf(0x61);
const DOGS = contractOf(0x62);
const priced = { chainId: ethereum.id, currency: STRANGE_COIN };
const signal = new AbortController().signal;

/** An index that stores, and the repricer beside it. */
function open() {
	const lab = createApplierLab(database.db);
	let locks = 0;
	const clock = { nowMs: () => NOW_MS };
	const options: RepriceOptions = {
		db: database.db,
		clock,
		outbox: createOutbox({ db: database.db, bus: inProcessBus(silentLog), clock }),
		scanner: {
			async lock(tx, chainId) {
				locks++;
				await tx.execute("select pg_advisory_xact_lock($1)", [chainId]);
			},
		},
		spansOf: lab.options.spansOf,
	};
	const repricer = createRepricer({
		...options,
		chains: createChainRegistry(builtinChains),
		prices: lab.prices,
		log: silentLog,
	});
	lab.prices.onLearned(repricer.note);
	return {
		...lab,
		repricer,
		reprice: (given: Parameters<typeof repricePart>[2]) => repricePart(options, ethereum, given),
		locks: () => locks,
		/** One coin is worth one ETH. */
		knowRate(fromMs = 0) {
			lab.prices.setEth(2_000);
			lab.prices.set({ ...priced, usd: 2_000, fromMs });
		},
		async learn(fromMs = 0, toMs = NOW_MS) {
			await lab.prices.learn({ priced, fromMs, toMs });
			await repricer.run(signal);
		},
	};
}

const coinSale = (given: Partial<NewEvent> = {}) =>
	saleOf(CATS, { currency: STRANGE_COIN, totalRaw: 3n * ETH, ...given });
const nativeTotals = () =>
	database.db.query<{ total: string | null }>(
		"select total_native as total from market_index.event order by occurred_at",
	);

test("[MRG-05] events priced later give the same figures as events priced at once", async () => {
	const trades = randomTrades({ seed: 7, contracts: [CATS, DOGS], count: 900, days: 3 });
	const early = open();
	early.knowRate();
	await early.apply(ethereum, trades);
	const expected = await readFigures(database.db);
	await early.clear();

	const late = open();
	await late.apply(ethereum, trades);
	expect(await readFigures(database.db)).not.toEqual(expected);
	late.knowRate();
	await late.learn();
	expect(await readFigures(database.db)).toEqual(expected);
	await late.learn();
	expect(await readFigures(database.db)).toEqual(expected);
});

test("[MRG-02] a stored price is never overwritten, and an unknown one never guessed", async () => {
	const index = open();
	index.knowRate(NOW_MS - HOUR_MS);
	const old = coinSale({ occurredAtMs: NOW_MS - DAY_MS });
	const fresh = coinSale({ occurredAtMs: NOW_MS - HOUR_MS });
	await index.apply(ethereum, [old, fresh]);
	index.prices.set({ ...priced, usd: 4_000, fromMs: NOW_MS - HOUR_MS });
	await index.learn();
	expect(await nativeTotals()).toEqual([{ total: null }, { total: (3n * ETH).toString() }]);
	expect(index.locks()).toBe(0);
});

test("[ING-12] a sale whose price is unproven is counted, and in no sum of prices, now or later", async () => {
	const index = open();
	index.knowRate();
	const reason = "price_unproven";
	await index.apply(ethereum, [
		coinSale({ reason }),
		saleOf(CATS, { totalRaw: 900n * ETH, reason }),
	]);
	const sums = () =>
		database.db.query<{ sales: number; priced: number; volume: string }>(
			`select sum(sales)::int4 as sales, sum(priced)::int4 as priced, sum(volume) as volume
			from market_index.rollup_day`,
		);
	expect(await sums()).toEqual([{ sales: 2, priced: 0, volume: "0" }]);
	await index.learn();
	await index.prices.learn({
		priced: { ...priced, currency: ZERO_ADDRESS },
		fromMs: 0,
		toMs: NOW_MS,
	});
	await index.repricer.run(signal);
	expect(await sums()).toEqual([{ sales: 2, priced: 0, volume: "0" }]);
	expect(await nativeTotals()).toEqual([{ total: null }, { total: null }]);
});

test("[MRG-02] an event that two processes price simultaneously is counted once", async () => {
	const index = open();
	const sale = coinSale();
	await index.apply(ethereum, [sale]);
	index.knowRate();
	await index.learn();
	const expected = await readFigures(database.db);
	const late = { ...sale, totalRaw: 3n * ETH, totalNative: 9n * ETH };
	await index.reprice([late]);
	expect(await readFigures(database.db)).toEqual(expected);
	expect(await nativeTotals()).toEqual([{ total: (3n * ETH).toString() }]);
});

test("only events in the time span, chain and currency of the new price are priced", async () => {
	const index = open();
	await index.apply(ethereum, [
		coinSale({ occurredAtMs: NOW_MS - 3 * HOUR_MS }),
		coinSale({ occurredAtMs: NOW_MS - 2 * HOUR_MS }),
		coinSale({ occurredAtMs: NOW_MS - HOUR_MS }),
	]);
	index.knowRate();
	await index.learn(NOW_MS - 2 * HOUR_MS, NOW_MS - 2 * HOUR_MS);
	const known = (3n * ETH).toString();
	expect(await nativeTotals()).toEqual([{ total: null }, { total: known }, { total: null }]);
});

test("more rows than one part are all priced, part by part, each under one lock", async () => {
	const index = open();
	const count = 2 * REPRICE_ROWS_MAX + 5;
	const sales = Array.from({ length: count }, () => coinSale());
	await index.apply(ethereum, sales);
	index.knowRate();
	await index.learn();
	expect((await nativeTotals()).every(({ total }) => total !== null)).toBe(true);
	expect(index.locks()).toBe(3);
});

test("[STR-04] streams get each changed candle, or one snapshot_required after many changes", async () => {
	const topic = collectionTopic(ethereum.slug, CATS);
	const index = open();
	await index.apply(ethereum, [coinSale()]);
	const before = (await index.frames(topic)).length;
	index.knowRate();
	await index.learn();
	const [told] = (await index.frames(topic)).slice(before);
	expect(told).toMatchObject({
		type: "candle_update",
		data: { interval: "1m", candle: { open: 3, close: 3, volumeNative: 3, sales: 1 } },
	});
	const other = open();
	await other.apply(
		ethereum,
		Array.from({ length: 30 }, () => coinSale()),
	);
	const seen = (await other.frames(topic)).length;
	other.knowRate();
	await other.learn();
	expect((await other.frames(topic)).slice(seen)).toMatchObject([{ type: "snapshot_required" }]);
});

test("a reorg removes a price with its event, and the new event is priced separately", async () => {
	const index = open();
	const sale = coinSale();
	await index.apply(ethereum, [sale]);
	index.knowRate();
	await index.learn();
	await index.revert(ethereum, sale.blockNumber - 1);
	expect(await nativeTotals()).toEqual([]);
	const { buckets } = await readFigures(database.db);
	expect(buckets).toEqual([]);
});

test("a failure is logged once, retried after a pause, and loses no event", async () => {
	const index = open();
	await index.apply(ethereum, [coinSale()]);
	index.knowRate();
	const broken = index.prices.toNative;
	index.prices.toNative = () => {
		throw new Error("broken");
	};
	await index.prices.learn({ priced, fromMs: 0, toMs: NOW_MS });
	await index.repricer.job.run({ signal });
	index.prices.toNative = broken;
	await index.repricer.job.run({ signal });
	expect(await nativeTotals()).toEqual([{ total: null }]);
	await index.repricer.run(signal);
	expect(await nativeTotals()).toEqual([{ total: (3n * ETH).toString() }]);
});
