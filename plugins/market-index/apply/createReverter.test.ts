import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import { RETRACTIONS_PER_TOPIC_MAX } from "#plugins/market-index/frames/eventFrames.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { lockSync } from "#plugins/market-index/sync/sql/syncs.ts";
import {
	base,
	contractOf,
	ETH,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("createReverter.locks", () => {
	let database: TestDatabase;
	let lab: ApplierLab;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createApplierLab(database.db);
	});
	beforeEach(() => lab.clear());
	afterAll(() => database.drop());

	const CATS = contractOf(0x91);

	async function collectionId(): Promise<number> {
		const [row] = await database.db.query<{ id: number }>("select id from market_index.collection");
		return row?.id ?? -1;
	}

	/** Somebody of this database waits for a lock. */
	async function isWaiting(): Promise<boolean> {
		const rows = await database.db.query(
			`select from pg_stat_activity
		where datname = current_database() and wait_event_type = 'Lock'`,
		);
		return rows.length > 0;
	}

	test("[ING-11] a fork that removes a collection waits for its starting sync, without a deadlock", async () => {
		await lab.apply(ethereum, [mintOf(CATS, { blockNumber: 10 })]);
		const id = await collectionId();
		await database.db.transaction((tx) => lockSync(tx, id));
		let reverting: Promise<void> = Promise.resolve();
		await database.db.transaction(async (tx) => {
			await lockSync(tx, id);
			reverting = lab.revert(ethereum, 9);
			await until(isWaiting, "the reorg waits");
			await tx.execute("update market_index.collection set sync_status = 'syncing' where id = $1", [
				id,
			]);
		});
		await reverting;
		expect(await collectionId()).toBe(-1);
	});

	test("[ING-11] the tokens, names and floors of a removed collection are removed too", async () => {
		await lab.apply(ethereum, [mintOf(CATS, { blockNumber: 10 })]);
		const id = await collectionId();
		for (const statement of [
			"former_slug (chain_id, slug, collection_id) values (1, 'cats', $1)",
			"token (collection_id, token_id) values ($1, 1)",
			"trait_count (collection_id, trait_type, value, tokens) values ($1, 'fur', 'red', 1)",
			"floor_snapshot (collection_id, at, floor_native) values ($1, now(), 1)",
			"recipients (collection_id, recipients, counted) values ($1, 1, '')",
		]) {
			await database.db.execute(`insert into market_index.${statement}`, [id]);
		}
		await lab.revert(ethereum, 9);
		const rows = await database.db.query<{ kept: number }>(
			`select (select count(*) from market_index.former_slug)
			+ (select count(*) from market_index.token)
			+ (select count(*) from market_index.trait_count)
			+ (select count(*) from market_index.floor_snapshot)
			+ (select count(*) from market_index.recipients) as kept`,
		);
		expect(Number(rows[0]?.kept)).toBe(0);
		expect(await collectionId()).toBe(-1);
	});

	test("[ING-11] a collection in the provider's lists is kept, also before its first sync", async () => {
		await lab.apply(ethereum, [mintOf(CATS, { blockNumber: 10 })]);
		const id = await collectionId();
		await database.db.execute(
			"insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, 1, 'cats')",
			[id],
		);
		await lab.revert(ethereum, 9);
		expect(await collectionId()).toBe(id);
	});
});

describe("createReverter", () => {
	let database: TestDatabase;
	let lab: ApplierLab;

	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createApplierLab(database.db);
	});
	afterAll(() => database.drop());
	beforeEach(() => lab.clear());

	const HUGE = 2n ** 256n - 1n;
	const CATS = contractOf(0x51);
	const DOGS = contractOf(0x52);

	const amount = fc.oneof(
		{ weight: 6, arbitrary: fc.bigInt(1n, 10n ** 19n) },
		{ weight: 1, arbitrary: fc.constant(HUGE) },
	);
	const deed = fc.record({
		kind: fc.constantFrom("sale", "sale", "mint", "transfer"),
		contract: fc.constantFrom(CATS, DOGS, contractOf(0x53)),
		quantity: fc.oneof(fc.bigInt(1n, 4n), amount),
		totalRaw: amount,
		currency: fc.constantFrom(ZERO_ADDRESS, ZERO_ADDRESS, STRANGE_COIN),
		accepted: fc.constantFrom(true, true, true, false),
		blockNumber: fc.nat(6),
		logIndex: fc.nat(3),
		subIndex: fc.nat(2),
		tokenId: fc.bigInt(0n, 9n),
	});
	/** A chain of seven blocks, seconds to half a day apart. */
	const history = fc
		.tuple(
			fc.uniqueArray(deed, {
				minLength: 1,
				maxLength: 40,
				selector: (one) => `${one.blockNumber}.${one.logIndex}.${one.subIndex}`,
			}),
			fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 7, maxLength: 7 }),
		)
		.map(([deeds, steps]) =>
			deeds.map((one): NewEvent => {
				const seconds = steps.slice(one.blockNumber).reduce((sum, step) => sum + step, 0);
				const make = one.kind === "mint" ? mintOf : saleOf;
				const given = one.kind === "mint" ? { ...one, currency: ZERO_ADDRESS } : one;
				return make(one.contract, {
					...(given as Partial<NewEvent>),
					occurredAtMs: NOW_MS - seconds * 1_000,
				});
			}),
		);

	test("[ING-11] after a reorg each figure is as if the lost events had never existed", async () => {
		const forks = fc.array(fc.integer({ min: -1, max: 6 }), { minLength: 1, maxLength: 3 });
		await fc.assert(
			fc.asyncProperty(history, forks, async (events, blocks) => {
				await lab.clear();
				await lab.apply(ethereum, events);
				for (const block of blocks) {
					const left = events.filter(({ blockNumber }) => blockNumber <= block);
					await lab.revert(ethereum, block);
					expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, left));
					await lab.apply(ethereum, events);
					expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
				}
			}),
			{ numRuns: 60 },
		);
	});

	const at = (blockNumber: number, given: Partial<NewEvent> = {}) => {
		return {
			blockNumber,
			logIndex: 1,
			occurredAtMs: NOW_MS - 600_000 + blockNumber * 12_000,
			...given,
		};
	};
	type Told = { type: string; data: Record<string, unknown> };
	const framesAfter = async (topic: string, count: number) =>
		(await lab.frames(topic)).slice(count) as Told[];

	test("[ING-11] each removed event is published as retracted, followed by the new figures", async () => {
		const kept = saleOf(CATS, at(1));
		const lost = saleOf(CATS, at(2, { totalRaw: 3n * ETH }));
		await lab.apply(ethereum, [kept], { live: true });
		await lab.apply(ethereum, [lost], { live: true });
		const topic = `collection:ethereum:${CATS}`;
		const before = (await lab.frames(topic)) as Told[];
		const told = before.find(({ data }) => data["blockNumber"] === 2);
		const discoverBefore = (await lab.frames("discover:ethereum")).length;
		await lab.revert(ethereum, 1);
		const after = await framesAfter(topic, before.length);
		expect(after[0]).toEqual({ type: "market_event", data: { ...told?.data, retracted: true } });
		expect(after[1]).toMatchObject({
			type: "candle_update",
			data: { interval: "1m", candle: { high: 1, sales: 1 } },
		});
		const [row] = await framesAfter("discover:ethereum", discoverBefore);
		expect(row?.data).toMatchObject({
			section: "market",
			row: { volume24hNative: 1, sales24h: 1 },
		});
	});

	test("[ING-11] a candle without remaining sales is published empty, and a lost mint leaves discover", async () => {
		await lab.apply(ethereum, [mintOf(CATS, at(1)), saleOf(CATS, at(1, { logIndex: 2 }))]);
		const sale = saleOf(CATS, at(20));
		const mint = mintOf(CATS, at(20, { logIndex: 2, tokenId: 7n }));
		await lab.apply(ethereum, [sale, mint], { live: true });
		const topic = `collection:ethereum:${CATS}`;
		const before = (await lab.frames(topic)).length;
		const discoverBefore = (await lab.frames("discover:ethereum")).length;
		await lab.revert(ethereum, 19);
		const candle = (await framesAfter(topic, before)).find(({ type }) => type === "candle_update");
		expect(candle?.data).toMatchObject({ retracted: true, candle: { open: null, sales: 0 } });
		const rows = await framesAfter("discover:ethereum", discoverBefore);
		const mints = rows.filter(({ data }) => data["section"] === "mints");
		expect(mints.map(({ data }) => data["row"])).toMatchObject([{ tokenId: "7", retracted: true }]);
		expect(rows.map(({ data }) => data["section"])).toContain("minting");
	});

	test("[ING-11] a collection known only from lost blocks is removed; one known otherwise is kept", async () => {
		await lab.apply(ethereum, [saleOf(CATS, at(5)), saleOf(DOGS, at(5, { logIndex: 2 }))]);
		await database.db.execute(
			"update market_index.collection set last_provider_at = now() where address = $1",
			[Buffer.from(DOGS.slice(2), "hex")],
		);
		await lab.revert(ethereum, 4);
		const { collections } = await readFigures(database.db);
		expect(collections.map(({ contract }) => contract)).toEqual([DOGS]);
	});

	test("[ING-11] a reorg changes no other chain, and no event that only the provider reported", async () => {
		await lab.apply(base, [saleOf(CATS, at(5))]);
		const said = saleOf(CATS, at(6, { onchainVerified: false, payload: { id: 1 } }));
		await lab.apply(ethereum, [saleOf(CATS, at(5)), said]);
		await lab.revert(ethereum, 4);
		const rows = await database.db.query<{ chain: number; block: number }>(
			`select chain_id as chain, block_number as block from market_index.event order by chain_id`,
		);
		expect(rows).toEqual([
			{ chain: ethereum.id, block: 6 },
			{ chain: base.id, block: 5 },
		]);
	});

	test("[ING-11] the supply of a collection that lost a mint is read again, and the old one is dropped", async () => {
		await lab.apply(ethereum, [mintOf(CATS, at(1)), mintOf(CATS, at(5, { logIndex: 2 }))]);
		await database.db.execute("update market_index.collection set supply_mints = 2");
		lab.jobs.length = 0;
		await lab.revert(ethereum, 4);
		expect(lab.jobs).toHaveLength(1);
		const rows = await database.db.query("select supply_mints from market_index.collection");
		expect(rows).toEqual([{ supply_mints: null }]);
	});

	test("more retractions than a stream shows become one snapshot_required", async () => {
		const many = Array.from({ length: RETRACTIONS_PER_TOPIC_MAX + 1 }, (_, index) =>
			saleOf(CATS, at(5, { logIndex: index })),
		);
		await lab.apply(ethereum, [saleOf(CATS, at(1)), ...many]);
		const topic = `collection:ethereum:${CATS}`;
		const before = (await lab.frames(topic)).length;
		await lab.revert(ethereum, 4);
		const [first, ...rest] = await framesAfter(topic, before);
		expect(first).toEqual({ type: "snapshot_required", data: { reason: "reorg" } });
		expect(rest.filter(({ type }) => type === "market_event")).toEqual([]);
	});
});
