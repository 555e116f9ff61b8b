import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { createReference, judgeFeed } from "#plugins/trading/prices/createReference.ts";
import { countUnsure } from "#plugins/trading/prices/judgePrice.ts";
import { marketHours } from "#plugins/trading/prices/marketHours.ts";
import { assetOf } from "#plugins/trading/registry/createAssets.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";
import { fakePrices } from "#test/harness/fakes.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("createReference", () => {
	const CHAIN_ID = 4_663;
	const NOW_MS = Date.parse("2026-11-18T17:00:00Z");
	const TSLA: Address = `0x${"a1".repeat(20)}`;
	const AAPL: Address = `0x${"a2".repeat(20)}`;
	const NVDA: Address = `0x${"a3".repeat(20)}`;
	const feedOf = (token: Address): Address => `0xfe${token.slice(4)}`;

	let database: TestDatabase;
	let node: ReturnType<typeof createTokenNode>;
	let clock: { ms: number; nowMs(): number };
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate trading.asset");
		clock = { ms: NOW_MS, nowMs: () => clock.ms };
		node = createTokenNode(clock.nowMs);
		const tokens = { TSLA, AAPL, NVDA };
		for (const [symbol, address] of Object.entries(tokens)) {
			node.tokens.set(address, { symbol, decimals: 18, oraclePaused: false });
			node.feeds.set(feedOf(address), { answer: 1_230_00000000n, updatedAtMs: NOW_MS });
			const row = newAssetRow({ symbol, address, feed: feedOf(address) });
			await database.db.transaction((tx) => assetRows.write(tx, row));
		}
	});

	function open() {
		const prices = fakePrices();
		prices.setEth(3_000);
		const reference = createReference({
			...{ chainId: CHAIN_ID, rpc: node.rpc, db: database.db, clock, log: silentLog, prices },
			hours: marketHours("us_equities_24_5"),
			silentMs: 3 * 3_600_000,
		});
		return {
			reference,
			prices,
			async priceOf(address: Address) {
				const row = await assetRows.read(database.db, CHAIN_ID, address);
				if (!row) throw new Error("no such token");
				return reference.priceUsd(assetOf(row));
			},
		};
	}

	test("a feed that stopped before the others closed has no last close, only a last price", async () => {
		// Saturday: the others spoke until Friday evening, and this one until noon.
		clock.ms = Date.parse("2026-11-21T17:00:00Z");
		const close = Date.parse("2026-11-21T00:55:00Z");
		for (const token of [TSLA, AAPL, NVDA]) {
			node.feeds.set(feedOf(token), { answer: 1_230_00000000n, updatedAtMs: close });
		}
		const row = await assetRows.read(database.db, CHAIN_ID, TSLA);
		if (!row) throw new Error("it is registered");
		const wordOf = () => open().reference.word(assetOf(row));
		expect(await wordOf()).toEqual({ kind: "closed", microsPerUnit: 1_230_000_000n });
		const noon = close - 8 * 3_600_000;
		node.feeds.set(feedOf(TSLA), { answer: 900_00000000n, updatedAtMs: noon });
		expect(await wordOf()).toEqual({ kind: "broken", lastMicros: 900_000_000n });
		// A close of last week is none either, though no other feed is there to tell.
		clock.ms += 6 * 86_400_000 + 86_400_000;
		for (const token of [AAPL, NVDA]) node.feeds.delete(feedOf(token));
		expect(await wordOf()).toEqual({ kind: "broken", lastMicros: 900_000_000n });
		// What a feed said more than thirty days ago counts nothing any more.
		clock.ms += 24 * 86_400_000;
		expect(await wordOf()).toEqual({ kind: "broken", lastMicros: null });
	});

	test("the price of one raw token is the feed's answer, whatever the multiplier is", async () => {
		const row = newAssetRow({ symbol: "TSLA", address: TSLA, feed: feedOf(TSLA) });
		const split = { ...row, multiplier: 3n * 10n ** 18n };
		await database.db.transaction((tx) => assetRows.write(tx, split));
		expect(await open().priceOf(TSLA)).toEqual({ microsPerUnit: 1_230_000_000n, ageMs: 0 });
	});

	test("all feeds are read in one request, and none is older than five seconds", async () => {
		const { priceOf } = open();
		await Promise.all([priceOf(TSLA), priceOf(AAPL), priceOf(NVDA), priceOf(TSLA)]);
		expect(node.asked).toHaveLength(1);
		clock.ms += 2_499;
		await priceOf(TSLA);
		expect(node.asked).toHaveLength(1);
		clock.ms += 5_000;
		setFeed({ answer: 2_00000000n });
		expect(await priceOf(TSLA)).toMatchObject({ microsPerUnit: 2_000_000n });
		expect(node.asked).toHaveLength(2);
	});

	test("a reading older than half of that time is renewed in the background; the caller does not wait", async () => {
		const { priceOf } = open();
		await priceOf(TSLA);
		setFeed({ answer: 2_00000000n });
		clock.ms += 2_500;
		const old = { microsPerUnit: 1_230_000_000n, ageMs: 2_500 };
		expect(await priceOf(TSLA)).toEqual(old);
		await until(async () => {
			return Bun.deepEquals(await priceOf(TSLA), { ...old, microsPerUnit: 2_000_000n });
		}, "they were read again");
		expect(node.asked).toHaveLength(2);
	});

	test("when a renewal in the background fails, the last reading is used until it is too old", async () => {
		const { priceOf } = open();
		await priceOf(TSLA);
		node.faults.isDown = true;
		clock.ms += 4_999;
		expect(await priceOf(TSLA)).toMatchObject({ microsPerUnit: 1_230_000_000n });
		clock.ms += 1;
		expect(await priceOf(TSLA)).toBeNull();
	});

	test("a feed that the registry adds while the service runs is read from then on", async () => {
		const { priceOf } = open();
		const address: Address = `0x${"a4".repeat(20)}`;
		node.tokens.set(address, { symbol: "META", decimals: 18 });
		node.feeds.set(feedOf(address), { answer: 500_00000000n, updatedAtMs: NOW_MS });
		const row = newAssetRow({ symbol: "META", address, feed: null });
		await database.db.transaction((tx) => assetRows.write(tx, row));
		expect(await priceOf(address)).toBeNull();
		const named = { ...row, feed: feedOf(address) };
		await database.db.transaction((tx) => assetRows.write(tx, named));
		clock.ms += 5_000;
		expect(await priceOf(address)).toEqual({ microsPerUnit: 500_000_000n, ageMs: 5_000 });
	});

	const nonsense: [string, () => void][] = [
		["zero", () => setFeed({ answer: 0n })],
		["negative", () => setFeed({ answer: -1n })],
		["2^255", () => setFeed({ answer: 2n ** 255n })],
		["more than an answer has bits", () => setFeed({ answer: 2n ** 191n })],
		["less than a millionth of a dollar", () => setFeed({ answer: 1n })],
		["of the day after tomorrow", () => setFeed({ updatedAtMs: NOW_MS + 172_800_000 })],
		["of 37 places", () => setFeed({ decimals: 37 })],
		["no round", () => node.faults.answers.set(`${feedOf(TSLA)}:0xfeaf968c`, "0x")],
		[
			"two words",
			() => node.faults.answers.set(`${feedOf(TSLA)}:0xfeaf968c`, `0x${"0".repeat(128)}`),
		],
		["while the oracle is paused", () => setToken({ oraclePaused: true })],
	];
	const setFeed = (to: object) => {
		node.feeds.set(feedOf(TSLA), { answer: 1_00000000n, updatedAtMs: NOW_MS, ...to });
	};
	const setToken = (to: object) => {
		node.tokens.set(TSLA, { symbol: "TSLA", decimals: 18, ...to });
	};
	for (const [what, spoil] of nonsense) {
		test(`an answer that is ${what} gives no price, and does not affect others`, async () => {
			spoil();
			const { priceOf } = open();
			expect(await priceOf(TSLA)).toBeNull();
			expect(await priceOf(AAPL)).toMatchObject({ microsPerUnit: 1_230_000_000n });
		});
	}

	test("a token without the oracle's flag is priced", async () => {
		setToken({ oraclePaused: undefined });
		expect(await open().priceOf(TSLA)).toMatchObject({ microsPerUnit: 1_230_000_000n });
	});

	test("outside of trading hours the market is reported as closed, with the time of the last update", async () => {
		clock.ms = Date.parse("2026-11-22T17:00:00Z");
		const { priceOf, reference } = open();
		expect(await priceOf(TSLA)).toEqual({ closed: true, ageMs: clock.ms - NOW_MS });
		const row = await assetRows.read(database.db, CHAIN_ID, TSLA);
		if (!row) throw new Error("no row");
		expect(await reference.last(assetOf(row))).toMatchObject({
			microsPerUnit: 1_230_000_000n,
			market: "closed",
		});
	});

	test("the price of a feed that stops while others update becomes unknown", async () => {
		clock.ms += 3 * 3_600_000 + 1_000;
		for (const token of [AAPL, NVDA]) {
			node.feeds.set(feedOf(token), { answer: 10n ** 10n, updatedAtMs: clock.ms });
		}
		const { priceOf } = open();
		expect(await priceOf(TSLA)).toBeNull();
		expect(await priceOf(AAPL)).toMatchObject({ ageMs: 0 });
	});

	test("a node that does not answer makes prices unknown, and is asked again", async () => {
		const { priceOf } = open();
		node.faults.isDown = true;
		expect(await priceOf(TSLA)).toBeNull();
		node.faults.isDown = false;
		expect(await priceOf(TSLA)).not.toBeNull();
	});

	test("the coin and the settlement currencies are priced by the deployment's feeds", async () => {
		const { reference, prices } = open();
		const usdg: Address = `0x${"d6".repeat(20)}`;
		const row = newAssetRow({ symbol: "USDG", address: usdg, kind: "stable", decimals: 6 });
		const coin = { ...assetOf(row), address: ZERO_ADDRESS, kind: "native" as const };
		expect(await reference.priceUsd(coin)).toMatchObject({ microsPerUnit: 3_000_000_000n });
		expect(await reference.priceUsd(assetOf(row))).toBeNull();
		prices.set({ chainId: CHAIN_ID, currency: usdg, usd: 0.999, decimals: 6 });
		expect(await reference.priceUsd(assetOf(row))).toMatchObject({ microsPerUnit: 999_000n });
	});

	test("a currency whose configured feed is silent counts as broken, and not as one without a feed", async () => {
		const { reference, prices } = open();
		const usdg: Address = `0x${"d6".repeat(20)}`;
		const row = newAssetRow({ symbol: "USDG", address: usdg, kind: "stable", decimals: 6 });
		expect(await reference.word(assetOf(row))).toEqual({ kind: "none" });
		const later = Date.parse("2100-01-01");
		prices.set({ chainId: CHAIN_ID, currency: usdg, usd: 1, decimals: 6, fromMs: later });
		expect(await reference.word(assetOf(row))).toEqual({ kind: "broken", lastMicros: null });
	});
});

describe("judgeFeed", () => {
	// Guarantee: a feed's answer is a current price only while market and feed move; a weekend is no
	// fault, and a feed that stops at noon is one.

	const HOUR = 3_600_000;
	const WEDNESDAY_NOON = Date.parse("2026-11-18T17:00:00Z");
	const SUNDAY_NOON = Date.parse("2026-11-22T17:00:00Z");
	const SUNDAY_OPENING = Date.parse("2026-11-23T01:00:00Z");
	const FRIDAY_CLOSING = Date.parse("2026-11-21T01:00:00Z");
	const hours = marketHours("us_equities_24_5");
	const silentMs = 3 * HOUR;

	const of = (updatedAtMs: number) => ({ updatedAtMs });
	const judge = (own: number | null, others: (number | null)[], nowMs: number) =>
		judgeFeed(
			own === null ? null : of(own),
			others.map((other) => (other === null ? null : of(other))),
			{ nowMs, hours, silentMs },
		);

	test("a feed that updates while the market is open gives the price, with its age", () => {
		const now = WEDNESDAY_NOON;
		expect(judge(now - HOUR, [now, now], now)).toEqual({ kind: "open", ageMs: HOUR });
		expect(judge(now + 2_000, [now], now)).toEqual({ kind: "open", ageMs: 0 });
	});

	test("on a weekend a feed shows the last price, however old, and never a fault", () => {
		const closing = FRIDAY_CLOSING;
		const ageMs = SUNDAY_NOON - closing;
		expect(judge(closing, [closing, closing], SUNDAY_NOON)).toEqual({ kind: "closed", ageMs });
		expect(judge(closing, [], SUNDAY_NOON)).toEqual({ kind: "closed", ageMs });
	});

	test("a feed that is silent while half of its cohort updates is not trusted", () => {
		const now = WEDNESDAY_NOON;
		const old = now - silentMs - 1;
		expect(judge(old, [now, now, old], now)).toEqual({ kind: "silent" });
		expect(judge(old, [now, old], now)).toEqual({ kind: "silent" });
		expect(judge(old, [now, old, old], now)).toMatchObject({ kind: "open" });
		expect(judge(now - silentMs, [now, now, now], now)).toMatchObject({ kind: "open" });
	});

	test("the market counts as closed if all feeds are silent, whatever the calendar says", () => {
		const now = WEDNESDAY_NOON;
		const old = now - silentMs - 1;
		expect(judge(old, [old, old, null], now)).toEqual({ kind: "closed", ageMs: silentMs + 1 });
	});

	test("a feed without an update after an opening still shows the last session's price", () => {
		const before = FRIDAY_CLOSING - HOUR;
		const soon = SUNDAY_OPENING + 60_000;
		expect(judge(before, [soon, soon], soon)).toMatchObject({ kind: "closed" });
		const later = SUNDAY_OPENING + HOUR;
		expect(judge(before, [later, later, before], later)).toEqual({ kind: "silent" });
		expect(judge(before, [before, before], later)).toMatchObject({ kind: "closed" });
	});

	test("a feed without others to compare must update once in 25 hours", () => {
		const now = WEDNESDAY_NOON;
		expect(judge(now - 25 * HOUR, [], now)).toMatchObject({ kind: "open" });
		expect(judge(now - 25 * HOUR - 1, [null, null], now)).toEqual({ kind: "silent" });
		const tuesday = SUNDAY_OPENING + 26 * HOUR;
		expect(judge(FRIDAY_CLOSING, [], tuesday)).toEqual({ kind: "silent" });
	});

	test("a feed without a valid answer has no price", () => {
		expect(judge(null, [WEDNESDAY_NOON], WEDNESDAY_NOON)).toEqual({ kind: "silent" });
	});
});

test("a spend of unknown value has no figure, also in a currency", () => {
	const unknown = { word: { kind: "broken", lastMicros: null }, decimals: 6 } as const;
	const stock = { word: { kind: "open", microsPerUnit: 200_000_000n }, decimals: 18 } as const;
	const facts = {
		...{ inRaw: 100_000_000_000n, outRaw: 5n * 10n ** 17n, sell: unknown, buy: stock },
		...{ average: null, impactBps: null, isOneSilent: false },
	};
	expect(countUnsure(facts, { sell: null, buy: null })).toBeNull();
	const last = { ...unknown, word: { kind: "broken", lastMicros: 1_000_000n } } as const;
	expect(countUnsure({ ...facts, sell: last }, { sell: null, buy: null })).toBe(100_000_000_000n);
});
