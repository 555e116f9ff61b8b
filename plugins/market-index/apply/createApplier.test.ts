import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import { nothingCollected } from "#core/plugin/testing/nothingCollected.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { readFigures, recomputeFigures } from "#plugins/market-index/apply/testing/figures.ts";
import type { MarketIndex, NewEvent } from "#plugins/market-index/contract.ts";
import {
	COLLECTION_METADATA_TASK,
	OWED_NAMES_TASK,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { marketIndexPlugin } from "#plugins/market-index/plugin.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/sql/limits.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { fakePrices } from "#test/harness/fakePrices.ts";
import { createFakeProvider } from "#test/harness/fakeProvider.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

describe("what other sources record", () => {
	const image = (payload: Required<NewEvent>["payload"]) => ({ payload, onchainVerified: false });
	const kinds: Record<NewEvent["kind"], (given: Partial<NewEvent>) => NewEvent> = {
		sale: (given) => saleOf(CATS, given),
		mint: (given) => mintOf(CATS, given),
		transfer: (given) =>
			saleOf(CATS, { ...given, kind: "transfer", totalRaw: null, currency: null, venue: null }),
	};
	for (const [kind, make] of Object.entries(kinds)) {
		test(`[IDX-12] a ${kind} comes back over HTTP with payload, image and traits`, async () => {
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

	test("what jsonb cannot hold costs a character and not the event, alone or among hundreds", async () => {
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

	test("a payload without end is left out, and its event is not", async () => {
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

	test("an event that could never be shown is refused with its whole batch", async () => {
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
	test("[IDX-10] what is not accepted is told in activity and counts in no figure", async () => {
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

	test("a contract that mints 2^256-1 units again and again does not stop the lane", async () => {
		const lies = Array.from({ length: 12 }, () => mintOf(CATS, { quantity: HUGE, tokenId: HUGE }));
		const wash = Array.from({ length: 12 }, () => saleOf(CATS, { quantity: HUGE, totalRaw: HUGE }));
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

	test("times that no sane chain has are stored and read back like any other", async () => {
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

	test("[ING-04] a contract seen first is registered under its address, queued, with one job to name those of a batch", async () => {
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

	test("away from the head new contracts' names are owed, by one job for the chain", async () => {
		await lab.apply(ethereum, [mintOf(CATS), saleOf(DOGS)]);
		expect(await registered()).toHaveLength(2);
		expect(lab.jobs.map(({ task }) => task)).toEqual([OWED_NAMES_TASK]);
	});

	test("[ING-04] a lane run that fails registers nothing and queues nothing that is kept", async () => {
		const failing = database.db.transaction(async (tx) => {
			await lab.applier(tx, { chainId: ethereum.id, live: true, events: [mintOf(CATS)] });
			throw new Error("the cursor moved");
		});
		await expect(failing).rejects.toThrow("the cursor moved");
		expect(await registered()).toEqual([]);
		await lab.apply(ethereum, [mintOf(CATS)]);
		expect(await registered()).toHaveLength(1);
	});

	test("a coin that is paid with is asked for its symbol once", async () => {
		const paid = saleOf(CATS, { currency: STRANGE_COIN });
		await lab.apply(ethereum, [paid, saleOf(CATS, { currency: STRANGE_COIN }), saleOf(CATS)]);
		await lab.apply(ethereum, [saleOf(DOGS, { currency: STRANGE_COIN })]);
		const coins = lab.jobs.filter(({ task }) => task !== OWED_NAMES_TASK);
		expect(coins.map(({ payload }) => payload)).toEqual([
			{ chainId: ethereum.id, address: STRANGE_COIN },
		]);
	});

	test("an excluded collection takes in nothing and tells nothing", async () => {
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

	test("an empty batch is no work, and a chain without a definition is our own mistake", async () => {
		await lab.apply(ethereum, [], { live: true });
		expect(await lab.frames("discover:ethereum")).toEqual([]);
		await expect(lab.apply({ ...ethereum, id: 999_999_999 }, [])).rejects.toThrow("no definition");
	});
});
