import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import { nothingCollected } from "#core/plugin/testing/nothingCollected.ts";
import { MINUTE_MS } from "#core/time.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { MINT_FRAMES_MAX } from "#plugins/market-index/frames/eventFrames.ts";
import {
	COLLECTION_METADATA_TASK,
	OWED_NAMES_TASK,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { marketIndexPlugin } from "#plugins/market-index/plugin.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/sql/events.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
	wholeSpans,
} from "#plugins/market-index/testing/marketFixture.ts";
import { randomTrades, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createFakeProvider, fakePrices } from "#test/harness/fakes.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("applyInOneRoundTrip", () => {
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

	test("[ING-04] for a block of known collections every statement is sent before the first answer", async () => {
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

	test("[IDX-10] an event of a live block that is already stored is neither counted nor published again", async () => {
		const [first, second, third] = [saleOf(CATS, now), saleOf(CATS, now), saleOf(CATS, now)];
		await live([first]);
		await live([first, second]);
		await live([first, second, third, third]);
		const events = [first, second, third];
		expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
		const told = (await lab.frames(topic)).filter(({ type }) => type === "market_event");
		expect(told).toHaveLength(3);
	});

	test("a collection that was deleted and registered again is written under its new id", async () => {
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

	test("[ING-04] a batch uses the current names and exclusions, not cached ones", async () => {
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

	test("metadata is queued once, with and without the fast path", async () => {
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
});

describe("createApplier.frames", () => {
	// Guarantee: what is stored is told, in the same transaction, and shows what the routes show.

	let database: TestDatabase;
	let lab: ApplierLab;
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createApplierLab(database.db);
		ask = createAsk(createMarketFixture(database.db, [ethereum]));
	});
	afterAll(() => database.drop());
	beforeEach(async () => {
		await lab.clear();
		lab.hooks.onJobs = async () => {};
	});

	const CATS = contractOf(0xca75);
	const DOGS = contractOf(0xd065);
	const now = { occurredAtMs: NOW_MS - MINUTE_MS };
	const told = (contract: string) => lab.frames(`collection:ethereum:${contract}`);
	const discover = () => lab.frames("discover:ethereum");
	const typesOf = (frames: { type: string }[]) => frames.map(({ type }) => type);
	const sectionsOf = (frames: { data: unknown }[]) =>
		frames.map(({ data }) => (data as { section: string }).section);

	test("[STR-04] a sale is published as the activity route shows it, with its changed candle", async () => {
		const sale = saleOf(CATS, {
			...now,
			currency: STRANGE_COIN,
			payload: { image_url: "https://x.test/1" },
		});
		await lab.apply(ethereum, [sale, saleOf(CATS, { ...now, totalRaw: 3n * ETH })], { live: true });
		const frames = await told(CATS);
		expect(typesOf(frames)).toEqual(["market_event", "market_event", "candle_update"]);
		const { body } = await ask(`/collections/${CATS}/activity`);
		expect(frames.slice(0, 2).map(({ data }) => data)).toEqual(body.data.toReversed());
		const { candles } = (await ask(`/collections/${CATS}/candles?interval=1m`)).body;
		expect(frames[2]?.data).toEqual({ interval: "1m", candle: candles.at(-1) });
		await lab.apply(ethereum, [saleOf(CATS, { ...now, totalRaw: 5n * ETH })], { live: true });
		const [again] = (await told(CATS)).filter(({ type }) => type === "candle_update").slice(1);
		expect(again?.data).toMatchObject({ candle: { open: 3, close: 5, sales: 3 } });
	});

	test("[STR-04] a run that is rolled back publishes nothing, and a replay publishes nothing twice", async () => {
		const sale = saleOf(CATS, now);
		const failing = database.db.transaction(async (tx) => {
			await lab.applier(tx, { chainId: ethereum.id, live: true, events: [sale] });
			throw new Error("lost its lease");
		});
		await expect(failing).rejects.toThrow("lost its lease");
		expect(await told(CATS)).toEqual([]);
		await lab.apply(ethereum, [sale], { live: true });
		const once = [await told(CATS), await discover()];
		expect(once.map((frames) => frames.length)).toEqual([2, 1]);
		await lab.apply(ethereum, [sale], { live: true });
		await lab.apply(ethereum, [sale], { live: false });
		expect([await told(CATS), await discover()]).toEqual(once);
	});

	test("a sale without a known price opens no candle, and is counted in an existing one", async () => {
		const odd = () => saleOf(CATS, { ...now, currency: STRANGE_COIN });
		await lab.apply(ethereum, [odd()], { live: true });
		expect(typesOf(await told(CATS))).toEqual(["market_event"]);
		expect(sectionsOf(await discover())).toEqual(["market"]);
		await lab.apply(ethereum, [saleOf(CATS, now)], { live: true });
		await lab.apply(ethereum, [odd()], { live: true });
		const updates = (await told(CATS)).filter(({ type }) => type === "candle_update");
		expect(updates.map(({ data }) => data)).toMatchObject([
			{ candle: { sales: 2, volumeNative: 1 } },
			{ candle: { sales: 3, volumeNative: 1 } },
		]);
	});

	test("an event that is not accepted is published to its collection, and changes no row of discover", async () => {
		const refused = { ...now, accepted: false, reason: "zero_price" } as const;
		await lab.apply(ethereum, [saleOf(CATS, refused), mintOf(CATS, refused)], { live: true });
		expect(typesOf(await told(CATS))).toEqual(["market_event", "market_event"]);
		expect(await discover()).toEqual([]);
	});

	test("discover receives mints as the route shows them, then the changed rows", async () => {
		await lab.apply(ethereum, [mintOf(CATS, now), saleOf(DOGS, now)], { live: true });
		const frames = await discover();
		expect(sectionsOf(frames)).toEqual(["mints", "market", "minting"]);
		const { body } = await ask("/discover?chain=ethereum");
		const rows = frames.map(({ data }) => (data as { row: unknown }).row);
		// Lists show more beside: what changed in each window, and shares.
		const { changes, supply, listedPercent, ...minting } = body.minting[0];
		expect(rows).toMatchObject([body.mints[0], { slug: DOGS }, minting]);
		expect(body.market.find(({ slug }: { slug: string }) => slug === DOGS)).toMatchObject(
			Object(rows[1]),
		);
	});

	test("a collection that is renamed while its batch is applied is still published to discover", async () => {
		await lab.apply(ethereum, [saleOf(DOGS, now)]);
		lab.hooks.onJobs = async (tx) => {
			await tx.execute("update market_index.collection set slug = 'cats' where slug = $1", [CATS]);
		};
		await lab.apply(ethereum, [saleOf(CATS, now), mintOf(CATS, now)], { live: true });
		const named = (await discover()).filter(({ data }) => {
			return (data as { row: { slug?: string } }).row?.slug === "cats";
		});
		expect(sectionsOf(named)).toEqual(["market", "minting"]);
	});

	test("[STR-03] 40 live mints are published one by one, 41 as one snapshot_required, for each topic", async () => {
		const mints = (contract: typeof CATS, count: number) =>
			Array.from({ length: count }, () => mintOf(contract, now));
		await lab.apply(ethereum, [...mints(CATS, MINT_FRAMES_MAX), saleOf(CATS, now)], { live: true });
		expect(typesOf(await told(CATS)).filter((type) => type === "market_event")).toHaveLength(41);
		expect(sectionsOf(await discover()).filter((one) => one === "mints")).toHaveLength(40);

		await lab.clear();
		await lab.apply(ethereum, [...mints(CATS, 41), saleOf(CATS, now), ...mints(DOGS, 1)], {
			live: true,
		});
		const crowded = await told(CATS);
		expect(typesOf(crowded)).toEqual(["snapshot_required", "market_event", "candle_update"]);
		expect(crowded[0]?.data).toEqual({ reason: "too_many_mints" });
		expect(crowded[1]?.data).toMatchObject({ eventType: "sale" });
		expect(typesOf(await told(DOGS))).toEqual(["market_event"]);
		const [first, ...rest] = await discover();
		expect(first?.type).toBe("snapshot_required");
		expect(sectionsOf(rest)).toEqual(["market", "minting", "minting"]);

		// Each collection stays below the limit, the chain does not.
		await lab.clear();
		await lab.apply(ethereum, [...mints(CATS, 30), ...mints(DOGS, 30)], { live: true });
		expect(typesOf(await told(CATS))).toEqual(Array(30).fill("market_event"));
		expect(typesOf(await discover()).filter((type) => type === "snapshot_required")).toHaveLength(
			1,
		);
	});

	test("a lane that catches up sends each topic one snapshot_required", async () => {
		const sales = Array.from({ length: 30 }, () => saleOf(CATS, now));
		await lab.apply(ethereum, [...sales, mintOf(DOGS, now)]);
		const frame = { type: "snapshot_required", data: { reason: "catching_up" } };
		expect([await told(CATS), await told(DOGS), await discover()]).toEqual([
			[frame],
			[frame],
			[frame],
		]);
	});

	test("[MRG-02] a frame's figures of a window that was read in part say how much, and unknown is null", async () => {
		const span = { fromMs: NOW_MS - 6 * 60 * MINUTE_MS, untilMs: NOW_MS };
		lab.options.spansOf = async () => ({ sales: span, mints: null, movesUntilMs: null });
		try {
			await lab.apply(ethereum, [saleOf(CATS, now)], { live: true });
			const [frame] = await discover();
			const covered = {
				from: new Date(span.fromMs).toISOString(),
				until: new Date(NOW_MS).toISOString(),
				fraction: 0.2499,
			};
			expect(frame?.data).toMatchObject({
				section: "market",
				row: {
					sales24h: 1,
					volume24hNative: 1,
					volumeRaw: ETH.toString(),
					mints1h: null,
					coverage: { sales24h: covered, volume24hNative: covered },
				},
			});
		} finally {
			lab.options.spansOf = async () => wholeSpans(NOW_MS);
		}
	});
});

describe("createApplier.order", () => {
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
		{
			weight: 1,
			arbitrary: fc.constantFrom(0, -86_400_000, Date.UTC(3000, 1), Date.UTC(9999, 11)),
		},
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

	test("[IDX-10] batches in any order, split anywhere and repeated, give the result of one run", async () => {
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

	test("a large history in overlapping batches, as in catch-up, is counted once", async () => {
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

	test("simultaneous lanes of two chains, and two lanes of one chain, give correct figures", async () => {
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
});

describe("createApplier", () => {
	let database: TestDatabase;
	let lab: ApplierLab;
	let record: MarketIndex["record"];
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createApplierLab(database.db);
		const fixture = createMarketFixture(database.db, [ethereum]);
		ask = createAsk(fixture);
		const nowhere = { append() {} } as unknown as Core["outbox"];
		const metrics = createMetrics({ processMetrics: false });
		const core = { ...fixture.core, metrics, outbox: nowhere, queue: { add: async () => {} } };
		const parts = await marketIndexPlugin.setup({
			config: {
				NFT_OWNERSHIP_WALKS_MAX: 0,
				NFT_DISCOVERY_CHAINS: [],
				IPFS_GATEWAY_URLS: [],
				ARWEAVE_GATEWAY_URL: "https://arweave.test",
				METADATA_ALLOWED_ORIGINS: [],
			},
			needs: {
				scanner: { ...fixture.scanner, addSink() {}, lock: async () => {} },
				prices: fakePrices(),
				provider: createFakeProvider({ isOn: false }).provider,
			},
			core: core as unknown as Core,
			contributions: () => [],
			collected: nothingCollected,
		});
		if (!parts.service) throw new Error("the plugin offers no service");
		({ record } = parts.service);
	});
	afterAll(() => database.drop());
	beforeEach(() => lab.clear());

	const HUGE = 2n ** 256n - 1n;
	const CATS = contractOf(0xca75);
	const DOGS = contractOf(0xd065);
	const recorded = (events: readonly NewEvent[]) =>
		database.db.transaction((tx) => record(tx, { chainId: ethereum.id, live: false, events }));
	const activity = async (contract: Address) =>
		(await ask(`/collections/${contract}/activity`)).body.data;

	describe("events recorded by other sources", () => {
		const image = (payload: Required<NewEvent>["payload"]) => ({ payload, onchainVerified: false });
		const kinds: Record<NewEvent["kind"], (given: Partial<NewEvent>) => NewEvent> = {
			sale: (given) => saleOf(CATS, given),
			mint: (given) => mintOf(CATS, given),
			transfer: (given) =>
				saleOf(CATS, { ...given, kind: "transfer", totalRaw: null, currency: null, venue: null }),
		};
		for (const [kind, make] of Object.entries(kinds)) {
			test(`[IDX-12] a ${kind} is returned over HTTP with payload, image and traits`, async () => {
				const traits = [{ trait_type: "Hat", value: "Red" }];
				const both = {
					image_url: "https://x.test/1.png",
					display_image_url: "https://x.test/2.png",
					traits,
					// Whatever else the provider says is kept, too.
					nft: { deep: ["ü", 1, null, { "\\u0000": "a\\b\t\n" }] },
				};
				const display = { image_url: "", display_image_url: "https://x.test/2.png" };
				const given = make({ ...image(both), occurredAtMs: NOW_MS - 1_000 });
				await recorded([
					given,
					make({ ...image(display), occurredAtMs: NOW_MS - 2_000 }),
					make({ ...image({ image_url: 7, traits: "none" }), occurredAtMs: NOW_MS - 3_000 }),
					make({ occurredAtMs: NOW_MS - 4_000 }),
				]);
				const rows = await activity(CATS);
				expect(rows).toMatchObject([
					{ imageUrl: both.image_url, traits, providerPayload: both, onchainVerified: false },
					{ imageUrl: display.display_image_url, traits: null, providerPayload: display },
					{ imageUrl: null, traits: null },
					{ imageUrl: null, traits: null, providerPayload: null, onchainVerified: true },
				]);
				expect(rows[0]).toMatchObject({
					eventType: kind,
					accepted: true,
					transactionHash: given.transactionHash,
					priceNative: kind === "sale" ? 1 : kind === "mint" ? 0 : null,
					priceUsd: null,
					occurredAt: new Date(NOW_MS - 1_000).toISOString(),
				});
			});
		}

		test("a character that jsonb cannot hold is replaced, and the event is stored", async () => {
			const payload = {
				"k\u0000": "a\u0000b",
				half: "\ud83d",
				whole: "😀",
				text: "\\u0000",
				traits: [{ trait_type: "Fur", value: "Gold\udc00" }, { value: "\udc00" }],
			};
			const stored = {
				"k\ufffd": "a\ufffdb",
				half: "\ufffd",
				whole: "😀",
				text: "\\u0000",
				traits: [{ trait_type: "Fur", value: "Gold" }],
			};
			for (const count of [1, COPY_ROWS_MIN]) {
				await lab.clear();
				await recorded(Array.from({ length: count }, () => saleOf(CATS, { payload })));
				const rows = await activity(CATS);
				for (const row of rows) expect(row.providerPayload).toEqual(stored);
			}
		});

		test("an event whose payload is too deep or too large is stored without it", async () => {
			const deep: Record<string, unknown> = {};
			let inner = deep;
			for (let level = 0; level < 20_000; level++) inner = inner["in"] = {};
			await recorded([
				saleOf(CATS, { payload: deep }),
				saleOf(CATS, { payload: { long: "x".repeat(1e6) } }),
			]);
			const rows = await activity(CATS);
			expect(rows.map((row: { providerPayload: unknown }) => row.providerPayload)).toEqual([
				null,
				null,
			]);
		});

		test("an event that could never be displayed is refused together with its whole batch", async () => {
			const good = saleOf(CATS);
			const bad = [
				saleOf(CATS, { quantity: 0n }),
				saleOf(CATS, { quantity: -1n }),
				saleOf(CATS, { quantity: 2n ** 256n }),
				saleOf(CATS, { totalRaw: -1n }),
				saleOf(CATS, { totalRaw: 2n ** 256n }),
				saleOf(CATS, { tokenId: 2n ** 256n }),
				saleOf(`0x${"AB".repeat(20)}`),
			];
			for (const event of bad) await expect(recorded([good, event])).rejects.toThrow();
			expect(await readFigures(database.db)).toEqual({ collections: [], buckets: [] });
		});
	});

	describe("figures", () => {
		test("[IDX-10] an event that is not accepted is in activity, and is not counted in any figure", async () => {
			const refused = { accepted: false, reason: "self_trade" } as const;
			const events = [
				saleOf(CATS, { totalRaw: 2n * ETH }),
				saleOf(CATS, { ...refused, totalRaw: 900n * ETH }),
				mintOf(CATS, { ...refused, quantity: 50n }),
				saleOf(CATS, { kind: "transfer", totalRaw: 70n * ETH }),
			];
			await recorded(events);
			expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
			expect(await activity(CATS)).toHaveLength(4);
			const { body } = await ask(`/collections/${CATS}`);
			expect(body.lastSale.priceNative).toBe(2);
			expect(body.mint.mintedSupply).toBe(0);
			const candles = (await ask(`/collections/${CATS}/candles?interval=1h`)).body.candles;
			expect(candles).toMatchObject([{ high: 2, volumeNative: 2, sales: 1 }]);
		});

		test("a contract that repeatedly mints 2^256-1 units does not stop the lane", async () => {
			const lies = Array.from({ length: 12 }, () =>
				mintOf(CATS, { quantity: HUGE, tokenId: HUGE }),
			);
			const wash = Array.from({ length: 12 }, () =>
				saleOf(CATS, { quantity: HUGE, totalRaw: HUGE }),
			);
			const events = [...lies, ...wash, saleOf(DOGS)];
			for (const event of events) await lab.apply(ethereum, [event]);
			expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
			await lab.clear();
			await lab.apply(ethereum, events);
			expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
			for (const path of ["", "/activity", "/candles", "/sales"]) {
				expect((await ask(`/collections/${CATS}${path}`)).status).toBe(200);
			}
		});

		test("extreme block times are stored and read back unchanged", async () => {
			const times = [0, -1, Date.UTC(1600, 1), Date.UTC(3000, 0), Date.UTC(9999, 11, 31), 8.64e15];
			for (const count of [1, COPY_ROWS_MIN]) {
				await lab.clear();
				const events = times.flatMap((occurredAtMs, blockNumber) =>
					Array.from({ length: count }, () =>
						saleOf(CATS, { occurredAtMs, blockNumber, blockHash: `0x${"b".repeat(64)}` }),
					),
				);
				await lab.apply(ethereum, events);
				expect(await readFigures(database.db)).toEqual(recomputeFigures(ethereum, events));
				const [newest] = await activity(CATS);
				expect(newest.occurredAt).toBe("+275760-09-13T00:00:00.000Z");
			}
		});
	});

	describe("collections", () => {
		const registered = () =>
			database.db.query<{ slug: string; status: string; standard: string }>(
				`select slug, sync_status as status, standard
			from market_index.collection order by address`,
			);
		const metadataJobs = () => lab.jobs.filter(({ task }) => task === COLLECTION_METADATA_TASK);

		test("[ING-04] new contracts are registered under their addresses, with one naming job for a batch", async () => {
			const met = [mintOf(CATS), mintOf(CATS), saleOf(DOGS, { standard: "erc1155" })];
			await lab.apply(ethereum, met, { live: true });
			expect(await registered()).toEqual([
				{ slug: CATS, status: "queued", standard: "erc721" },
				{ slug: DOGS, status: "queued", standard: "erc1155" },
			]);
			expect(metadataJobs()).toHaveLength(1);
			expect(new Set(metadataJobs().map(({ key }) => key)).size).toBe(1);
			expect(metadataJobs().every(({ priority }) => priority === 10)).toBe(true);
			await lab.apply(ethereum, [mintOf(CATS), saleOf(DOGS)]);
			expect(metadataJobs()).toHaveLength(1);
			await lab.apply({ ...ethereum, id: 8453 }, [mintOf(CATS)], { live: true });
			expect(metadataJobs()).toHaveLength(2);
		});

		test("away from the head the names of new contracts are read later, by one job for the chain", async () => {
			await lab.apply(ethereum, [mintOf(CATS), saleOf(DOGS)]);
			expect(await registered()).toHaveLength(2);
			expect(lab.jobs.map(({ task }) => task)).toEqual([OWED_NAMES_TASK]);
		});

		test("[ING-04] a lane run that fails registers nothing and leaves no job", async () => {
			const failing = database.db.transaction(async (tx) => {
				await lab.applier(tx, { chainId: ethereum.id, live: true, events: [mintOf(CATS)] });
				throw new Error("the cursor moved");
			});
			await expect(failing).rejects.toThrow("the cursor moved");
			expect(await registered()).toEqual([]);
			await lab.apply(ethereum, [mintOf(CATS)]);
			expect(await registered()).toHaveLength(1);
		});

		test("the symbol of a payment currency is read once", async () => {
			const paid = saleOf(CATS, { currency: STRANGE_COIN });
			await lab.apply(ethereum, [paid, saleOf(CATS, { currency: STRANGE_COIN }), saleOf(CATS)]);
			await lab.apply(ethereum, [saleOf(DOGS, { currency: STRANGE_COIN })]);
			const coins = lab.jobs.filter(({ task }) => task !== OWED_NAMES_TASK);
			expect(coins.map(({ payload }) => payload)).toEqual([
				{ chainId: ethereum.id, address: STRANGE_COIN },
			]);
		});

		test("events of an excluded collection are neither stored nor published", async () => {
			await lab.apply(ethereum, [saleOf(CATS), saleOf(DOGS)]);
			const before = await readFigures(database.db);
			await database.db.execute(
				"update market_index.collection set excluded = true where slug = $1",
				[CATS],
			);
			for (const live of [true, false]) {
				const now = { occurredAtMs: NOW_MS - 1_000 };
				const coin = { ...now, currency: STRANGE_COIN };
				await lab.apply(ethereum, [saleOf(CATS, coin), mintOf(CATS, now)], { live });
			}
			expect(await readFigures(database.db)).toEqual(before);
			expect((await lab.frames(`collection:ethereum:${CATS}`)).length).toBe(1);
			expect(lab.jobs).toHaveLength(1);
			await lab.apply(ethereum, [saleOf(CATS), saleOf(DOGS)]);
			const after = await readFigures(database.db);
			expect(after.collections.map(({ sales }) => sales)).toEqual([1, 2]);
		});

		test("an empty batch does nothing, and a chain without a definition fails an assertion", async () => {
			await lab.apply(ethereum, [], { live: true });
			expect(await lab.frames("discover:ethereum")).toEqual([]);
			await expect(lab.apply({ ...ethereum, id: 999_999_999 }, [])).rejects.toThrow(
				"no definition",
			);
		});
	});
});
