import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { HOUR_MS } from "#core/time.ts";
import {
	createDearSales,
	decideFloor,
	type FloorReading,
	floorChangePercent,
	setFloor,
	statsFloorNative,
} from "#plugins/market-index/floor.ts";
import type { SyncedCollection } from "#plugins/market-index/pace.ts";
import { readDiscover } from "#plugins/market-index/read/trending.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { ETH, ethereum, NOW_MS, polygon } from "#plugins/market-index/testing/marketFixture.ts";
import { fakePrices } from "#test/harness/fakes.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

describe("decideFloor", () => {
	const stats = { value: 0.5, symbol: "ETH" };
	const best = { unitNative: "700", price: 0.7, symbol: "WETH" };
	const NOTHING = { stats: null, statsNative: null, best: null, isEmptyBook: false };

	test("the provider's floor comes first, then the best ask", () => {
		expect(decideFloor({ ...NOTHING, stats, statsNative: 500n, best })).toEqual({
			kind: "ask",
			native: 500n,
			price: 0.5,
			symbol: "ETH",
		});
		expect(decideFloor({ ...NOTHING, best })).toMatchObject({ native: 700n, symbol: "WETH" });
		expect(decideFloor({ ...NOTHING, stats, best })).toMatchObject({ native: 700n });
	});

	test("[MRG-02] only a complete book without an ask means no listing; else the floor stays unknown", () => {
		expect(decideFloor({ ...NOTHING, isEmptyBook: true })).toEqual({ kind: "none" });
		expect(decideFloor(NOTHING)).toEqual({ kind: "unknown" });
		expect(decideFloor({ ...NOTHING, stats, isEmptyBook: true })).toEqual({ kind: "unknown" });
	});

	test("[MRG-02] a floor is never zero, whatever the sources say", () => {
		const figure = fc.option(fc.record({ value: fc.constantFrom(0, 1), symbol: fc.string() }));
		const native = fc.option(fc.bigInt({ min: 0n, max: 2n }));
		const ask = fc.option(
			fc.record({ unitNative: fc.constantFrom("0", "1"), price: fc.float(), symbol: fc.string() }),
		);
		fc.assert(
			fc.property(figure, native, ask, fc.boolean(), (stats, statsNative, best, isEmptyBook) => {
				const floor = decideFloor({ stats, statsNative, best, isEmptyBook });
				if (floor.kind === "ask") expect(floor.native).toBeGreaterThan(0n);
			}),
		);
	});

	test("a change of the floor is in percent of the older one, and unknown if either is unknown", () => {
		expect(floorChangePercent("150", "100")).toBe(50);
		expect(floorChangePercent("50", "100")).toBe(-50);
		for (const [now, before] of [
			[null, "1"],
			["1", null],
			["1", "0"],
			["0", "1"],
		] as const) {
			expect(floorChangePercent(now, before)).toBeNull();
		}
	});
});

describe("setFloor", () => {
	let database: TestDatabase;
	let lab: SyncLab;
	let collection: SyncedCollection;
	withSyncLab(async (made) => {
		({ database, lab } = made);
		collection = await lab.register();
	});

	const ask = (eth: number): FloorReading => ({
		kind: "ask",
		native: (BigInt(Math.round(eth * 100)) * ETH) / 100n,
		price: eth,
		symbol: "ETH",
	});

	async function set(reading: FloorReading): Promise<void> {
		const { prices, core, time } = lab;
		const setting = { chain: ethereum, collection, reading, prices, outbox: core.outbox };
		await database.db.transaction((tx) => setFloor(tx, { ...setting, nowMs: time.nowMs }));
	}

	const snapshots = () =>
		database.db.query<{ native: string; at: Date }>(
			"select floor_native as native, at from market_index.floor_snapshot order by at",
		);

	test("[ING-12] a price above ten floors is too dear to be believed, where the owners are not walked", async () => {
		const { core, prices } = lab;
		const areDear = createDearSales({ db: database.db, chains: core.chains, prices });
		const usd = "0x00000000000000000000000000000000000000d0" as const;
		const sale = (eth: bigint, changes: object = {}) => ({
			contract: collection.address,
			currency: ZERO_ADDRESS,
			totalRaw: eth * ETH,
			quantity: 1n,
			occurredAtMs: NOW_MS,
			...changes,
		});
		const sales = [
			sale(10n),
			sale(11n),
			sale(11n, { quantity: 2n }),
			sale(11n, { contract: ZERO_ADDRESS }),
			sale(11n, { currency: usd }),
		];
		// Nothing is known to hold a price against.
		expect(await areDear(ethereum.id, sales)).toEqual(sales.map(() => false));
		await set(ask(1));
		expect(await areDear(ethereum.id, sales)).toEqual([false, true, false, false, false]);
		expect(await areDear(polygon.id, sales)).toEqual(sales.map(() => false));
		await database.db.execute(
			`insert into market_index.ownership
				(collection_id, chain_id, address, next_block, end_block, minted)
			values ($1, $2, '\\x01', 2, 1, 5)`,
			[collection.id, ethereum.id],
		);
		expect(await areDear(ethereum.id, sales)).toEqual(sales.map(() => false));
	});

	test("[IDX-05] a floor is stored when it changed, at most once a minute, and else every quarter hour", async () => {
		const counts: number[] = [];
		for (const [seconds, eth] of [
			[0, 1],
			[59, 2],
			[1, 2],
			[60, 2],
			[839, 2],
			[1, 2],
			[60, 1],
		] as const) {
			lab.time.nowMs += seconds * 1_000;
			await set(ask(eth));
			counts.push((await snapshots()).length);
		}
		expect(counts).toEqual([1, 1, 2, 2, 2, 3, 4]);
	});

	test("[STR-04] floor_update is published with each change of the floor, and not otherwise", async () => {
		await set(ask(1));
		await set(ask(1));
		await set({ kind: "unknown" });
		await set(ask(2));
		await set({ kind: "none" });
		await set({ kind: "none" });
		const frames = await lab.frames(collection.address);
		expect(frames.map(({ data }) => (data as { floorNative: number | null }).floorNative)).toEqual([
			1,
			2,
			null,
		]);
	});

	test("[STR-04] a floor that is not committed is not published", async () => {
		await database.db
			.transaction(async (tx) => {
				const { prices, core, time } = lab;
				const setting = {
					chain: ethereum,
					collection,
					reading: ask(1),
					prices,
					outbox: core.outbox,
				};
				await setFloor(tx, { ...setting, nowMs: time.nowMs });
				throw new Error("rolled back");
			})
			.catch(() => {});
		expect(await lab.frames(collection.address)).toEqual([]);
		expect(await snapshots()).toEqual([]);
	});

	test("[IDX-05] the change of 24 hours is relative to the newest floor that is at least that old", async () => {
		for (const [hoursAgo, eth] of [
			[50, 9],
			[25, 2],
			[23, 7],
		] as const) {
			lab.time.nowMs = NOW_MS - hoursAgo * HOUR_MS;
			await set(ask(eth));
		}
		lab.time.nowMs = NOW_MS;
		await set(ask(3));
		const { core, prices } = lab;
		const lane = { headBlock: null, indexedBlock: null, indexedAtMs: null };
		const scanner: Parameters<typeof readDiscover>[0]["scanner"] = {
			progress: async (chainId, kind) => ({ ...lane, chainId, lane: kind }),
		};
		const read = { core, scanner, prices };
		const change = async () =>
			(await readDiscover(read, [ethereum], 5)).market[0]?.floorChange24hPercent;
		expect(await change()).toBe(50);
		await database.db.execute("delete from market_index.floor_snapshot where at < $1", [
			new Date(NOW_MS - 24 * HOUR_MS),
		]);
		expect(await change()).toBeNull();
	});
});

describe("statsFloorNative", () => {
	test("[MRG-05] the provider's floor is used only if it is quoted in ETH, whatever the chain's coin is", () => {
		const rates = { chainId: polygon.id, prices: fakePrices(), nowMs: NOW_MS };
		rates.prices.setEth(2_000);
		rates.prices.set({
			chainId: polygon.id,
			currency: `0x${"0".repeat(40)}`,
			usd: 1,
			symbol: "POL",
		});
		for (const symbol of ["ETH", "WETH", "eth"]) {
			expect(statsFloorNative({ value: 0.5, symbol }, rates)).toBe(5n * 10n ** 17n);
		}
		for (const symbol of ["POL", "USDC", "", "APE"]) {
			expect(statsFloorNative({ value: 0.5, symbol }, rates)).toBeNull();
		}
		expect(statsFloorNative(null, rates)).toBeNull();
	});
});
