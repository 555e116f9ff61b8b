import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type EventRow, positionOf } from "#plugins/market-index/event/MarketEvent.ts";
import { resolveCollections } from "#plugins/market-index/register/registerCollections.ts";
import {
	COPY_ROWS_MIN,
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
	insertEvents,
	positionSql,
} from "#plugins/market-index/sql/events.ts";
import { contractOf, ethereum, saleOf } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("insertEvents", () => {
	let database: TestDatabase;
	let collectionId: number;

	const CATS = contractOf(1);
	const HUGE = 2n ** 256n - 1n;

	beforeAll(async () => {
		database = await createTestDatabase();
		const known = await database.db.transaction((tx) =>
			resolveCollections(
				tx,
				{ add: async () => {} },
				{ chainId: ethereum.id, contracts: new Map([[CATS, "erc721"]]) },
			),
		);
		collectionId = known.get(CATS)?.id ?? 0;
	});
	afterAll(() => database.drop());
	beforeEach(() => database.db.execute("truncate market_index.event"));

	const row = (given: Partial<EventRow> = {}): EventRow => ({
		...saleOf(CATS, given),
		collectionId,
		totalNative: null,
		...given,
	});
	const rows = (count: number, given: Partial<EventRow> = {}) =>
		Array.from({ length: count }, () => row(given));
	const insert = (events: readonly EventRow[]) =>
		database.db.transaction((tx) => insertEvents(tx, ethereum.id, events));
	const stored = async () =>
		(
			await database.db.query<EventColumns>(
				`select ${EVENT_COLUMNS} from market_index.event as e
			join market_index.collection as c on c.id = e.collection_id
			order by block_number, log_index, sub_index`,
			)
		).map(eventOf);

	// Both ways in must store the same, and answer the same.
	for (const [way, count] of [
		["by arrays", 1],
		["by COPY", COPY_ROWS_MIN],
	] as const) {
		describe(way, () => {
			test("every stored value is read back unchanged", async () => {
				const given: Partial<EventRow>[] = [
					{ tokenId: HUGE, quantity: HUGE, totalRaw: HUGE, totalNative: HUGE },
					{ tokenId: 0n, totalRaw: null, currency: null, venue: null },
					{
						payload: {
							text: 'tab\t, line\n, return\r, slash\\ \\N "quote" ü😀 {}',
							deep: [[null]],
						},
					},
					{ payload: {}, venue: "\\N", reason: "self_trade", accepted: false },
					{ venue: "" },
					{ kind: "transfer", onchainVerified: false, subIndex: 99_999 },
					{ kind: "mint", occurredAtMs: Date.UTC(3000, 1, 3, 4, 5, 6, 7) },
					{ occurredAtMs: 0 },
					{ occurredAtMs: -1 },
					{ occurredAtMs: 8.64e15 },
				];
				const events = given.flatMap((one, blockNumber) => {
					const blockHash = `0x${"ab".repeat(32)}` as const;
					return rows(count, { ...one, blockNumber, blockHash });
				});
				expect(await insert(events)).toEqual(events);
				const expected = events.map(({ collectionId: _, standard: _s, ...event }) => event);
				expect(await stored()).toEqual(expected);
			});

			test("an event that is stored is neither stored again nor returned as new", async () => {
				const first = rows(count);
				const second = rows(count);
				await insert(first);
				expect(await insert(first)).toEqual([]);
				const replay = [...second, ...first].reverse();
				expect(await insert(replay)).toEqual([...second].reverse());
				expect(await stored()).toHaveLength(2 * count);
			});

			test("of two equal events in a batch the first one is stored", async () => {
				const events = rows(count);
				const again = events.map((event) => ({ ...event, tokenId: HUGE }));
				expect(await insert([...events, ...again])).toEqual(events);
				expect((await stored()).some(({ tokenId }) => tokenId === HUGE)).toBe(false);
			});

			test("an event at the same position and another time is another event, and is stored", async () => {
				const events = rows(count);
				const later = events.map((event) => ({ ...event, occurredAtMs: event.occurredAtMs + 1 }));
				const [known] = events;
				if (known) await insert([known]);
				expect(await insert([...events, ...later])).toEqual([...events.slice(1), ...later]);
			});

			test("an invalid row fails the transaction, and nothing of it is stored", async () => {
				const bad = [...rows(count), row({ logIndex: 2 ** 31 })];
				await expect(insert(bad)).rejects.toThrow();
				expect(await stored()).toEqual([]);
			});
		});
	}

	test("several large replays work in one transaction", async () => {
		const events = rows(COPY_ROWS_MIN);
		await insert(events);
		const more = rows(COPY_ROWS_MIN);
		const answers = await database.db.transaction(async (tx) => [
			await insertEvents(tx, ethereum.id, events),
			await insertEvents(tx, ethereum.id, [...more, ...events]),
			await insertEvents(tx, ethereum.id, more),
		]);
		expect(answers.map((answer) => answer.length)).toEqual([0, COPY_ROWS_MIN, 0]);
	});

	test("events at the same position on two chains are two events", async () => {
		const events = rows(COPY_ROWS_MIN);
		await insert(events);
		const other = await database.db.transaction((tx) => insertEvents(tx, 8453, events));
		expect(other).toHaveLength(COPY_ROWS_MIN);
	});
});

describe("positionSql", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	test("the database computes the same positions as the applier, also for a provider's events", async () => {
		const blocks = [0, 7, 2 ** 33 - 1];
		const logs = [0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 30 - 1, 2 ** 30, 2 ** 30 + 5, 2 ** 31 - 1];
		const subs = [0, 1, 1_023, 1_024, 2 ** 31 - 1];
		const places = blocks.flatMap((blockNumber) =>
			logs.flatMap((logIndex) => subs.map((subIndex) => ({ blockNumber, logIndex, subIndex }))),
		);
		const rows = await database.db.query<{ position: string }>(
			`select ${positionSql}::text as position
		from unnest($1::int8[], $2::int4[], $3::int4[])
			with ordinality as e (block_number, log_index, sub_index, place) order by place`,
			[
				places.map(({ blockNumber }) => blockNumber),
				places.map(({ logIndex }) => logIndex),
				places.map(({ subIndex }) => subIndex),
			],
		);
		expect(rows.map(({ position }) => position)).toEqual(
			places.map((place) => positionOf(place).toString()),
		);
	});
});
