import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { EventRow } from "#plugins/market-index/event/MarketEvent.ts";
import {
	coarsen,
	collectionChanges,
	mergePrices,
	type RollupPrices,
	sumRollups,
} from "#plugins/market-index/rollup/rollups.ts";
import { TIERS } from "#plugins/market-index/rollup/windows.ts";
import {
	contractOf,
	ETH,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";

describe("collectionChanges", () => {
	const CATS = contractOf(1);
	const row = (event: ReturnType<typeof saleOf>, collectionId = 1): EventRow => ({
		...event,
		collectionId,
		totalNative: event.totalRaw,
	});

	test("the last sale and mint are the last ones in the chain, for any order of arrival", () => {
		const sales = [3, 9, 5].map((logIndex) => {
			return saleOf(CATS, { blockNumber: 7, logIndex, tokenId: BigInt(logIndex), quantity: 3n });
		});
		const mints = [4, 8, 6].map((logIndex) => {
			return mintOf(CATS, { blockNumber: 7, logIndex, totalRaw: BigInt(logIndex) });
		});
		for (const events of [sales, sales.toReversed()]) {
			const [change] = collectionChanges([...events, ...mints].map((event) => row(event)));
			expect(change).toMatchObject({
				sales: 3,
				volume: 3n * ETH,
				lastSale: { tokenId: 9n, unitNative: ETH / 3n, transactionHash: sales[1]?.transactionHash },
				mints: 3,
				lastMint: { totalRaw: 8n, quantity: 1n },
			});
		}
	});

	test("first and last mint times are the earliest and latest, whatever the chain's clock did", () => {
		const [change] = collectionChanges([
			row(mintOf(CATS, { blockNumber: 1, occurredAtMs: 5_000 })),
			row(mintOf(CATS, { blockNumber: 2, occurredAtMs: 9_000 })),
			row(mintOf(CATS, { blockNumber: 3, occurredAtMs: 2_000 })),
		]);
		expect(change).toMatchObject({ firstMintAtMs: 2_000, lastMintAtMs: 9_000 });
	});

	test("[IDX-10] events that are not accepted change nothing, not even the last sale", () => {
		const late = { blockNumber: 2 ** 31, accepted: false } as const;
		const events = [saleOf(CATS, late), mintOf(CATS, late), saleOf(CATS, { kind: "transfer" })];
		expect(collectionChanges(events.map((event) => row(event)))).toEqual([]);
	});

	test("a sale without a known price becomes the last sale, with an unknown price", () => {
		const [change] = collectionChanges([{ ...row(saleOf(CATS)), totalNative: null }]);
		expect(change).toMatchObject({ sales: 1, volume: 0n, lastSale: { unitNative: null } });
	});

	test("collections are added up separately, and minted units by quantity", () => {
		const changes = collectionChanges([
			row(mintOf(CATS, { quantity: 5n })),
			row(mintOf(CATS, { quantity: 2n ** 256n - 1n })),
			row(mintOf(CATS), 2),
		]);
		expect(
			changes.map(({ collectionId, mints, mintedUnits }) => [collectionId, mints, mintedUnits]),
		).toEqual([
			[1, 2, 2n ** 256n + 4n],
			[2, 1, 1n],
		]);
	});
});

describe("sumRollups", () => {
	const CATS = contractOf(1);
	const row = (event: ReturnType<typeof saleOf>, given: Partial<EventRow> = {}): EventRow => ({
		...event,
		collectionId: 1,
		totalNative: event.totalRaw,
		...given,
	});
	const sale = (given: Partial<EventRow> = {}) => row(saleOf(CATS, given), given);
	const byKey = (rollups: ReturnType<typeof sumRollups>) =>
		rollups.toSorted((a, b) => a.collectionId - b.collectionId || a.bucketMs - b.bucketMs);

	describe("prices", () => {
		const prices: fc.Arbitrary<RollupPrices> = fc
			.array(fc.tuple(fc.bigInt(0n, 5n), fc.bigInt(0n, 9n)), { minLength: 1, maxLength: 4 })
			.map((sales) =>
				sales
					.map(([price, position]) => {
						const place = { openPosition: position, closePosition: position };
						return { open: price, high: price, low: price, close: price, ...place };
					})
					.reduce((a, b) => mergePrices(a, b) ?? a),
			);
		const some = fc.option(prices, { nil: null });

		test("merging is commutative, associative and idempotent, also for equal positions", () => {
			fc.assert(
				fc.property(some, some, some, (a, b, c) => {
					expect(mergePrices(a, b)).toEqual(mergePrices(b, a));
					expect(mergePrices(mergePrices(a, b), c)).toEqual(mergePrices(a, mergePrices(b, c)));
					expect(mergePrices(a, a)).toEqual(a);
					expect(mergePrices(a, null)).toEqual(a);
				}),
				{ numRuns: 2_000 },
			);
		});

		test("summing sales one by one equals merging their prices, in any order", () => {
			const place = fc.record({
				blockNumber: fc.nat({ max: 3 }),
				logIndex: fc.nat({ max: 2 }),
				totalNative: fc.bigInt(1n, 6n),
			});
			fc.assert(
				fc.property(fc.array(place, { minLength: 1, maxLength: 8 }), (places) => {
					const sales = places.map((given) => sale({ ...given, occurredAtMs: NOW_MS }));
					const merged = sales
						.flatMap((one) => sumRollups([one]))
						.reduce<RollupPrices | null>((prices, one) => mergePrices(prices, one.prices), null);
					expect(sumRollups(sales).map(({ prices }) => prices)).toEqual([merged]);
				}),
				{ numRuns: 1_000 },
			);
		});

		test("open and close are of the first and last sale in the chain, not of arrival", () => {
			const at = { occurredAtMs: NOW_MS };
			const sales = [
				sale({ ...at, blockNumber: 5, logIndex: 2, totalRaw: 30n, totalNative: 30n }),
				sale({ ...at, blockNumber: 5, logIndex: 9, totalRaw: 20n, totalNative: 20n }),
				sale({ ...at, blockNumber: 4, logIndex: 11, totalRaw: 25n, totalNative: 25n }),
			];
			expect(sumRollups(sales)).toMatchObject([
				{ prices: { open: 25n, high: 30n, low: 20n, close: 20n } },
			]);
		});
	});

	test("[IDX-10] only accepted sales and mints are counted, and a transfer never", () => {
		const refused = { accepted: false } as const;
		const events = [sale(refused), row(mintOf(CATS, refused), refused), sale({ kind: "transfer" })];
		expect(sumRollups(events)).toEqual([]);
		expect(sumRollups([...events, sale(), row(mintOf(CATS))])).toMatchObject([
			{ sales: 1, mints: 1 },
		]);
	});

	test("volume is the exact total, and a unit's price is rounded down only where it is shown as a price", () => {
		const [rollup] = sumRollups([
			sale({ quantity: 3n, totalRaw: 10n, totalNative: 10n }),
			sale({ quantity: 2n, totalRaw: 5n, totalNative: 5n }),
		]);
		expect(rollup).toMatchObject({ volume: 15n, units: 5n, prices: { high: 3n, low: 2n } });
	});

	test("a sale without a known price is counted, and does not change volume, units and prices", () => {
		expect(sumRollups([sale({ totalNative: null, quantity: 9n })])).toMatchObject([
			{ sales: 1, priced: 0, units: 0n, volume: 0n, prices: null },
		]);
	});

	test("outliers are counted like any other sale", () => {
		const [rollup] = sumRollups([
			sale({ totalRaw: 1n, totalNative: 1n }),
			sale({ totalRaw: 2n ** 256n - 1n, totalNative: 2n ** 256n - 1n }),
		]);
		expect(rollup).toMatchObject({
			volume: 2n ** 256n,
			prices: { high: 2n ** 256n - 1n, low: 1n },
		});
	});

	test("collections and minutes are added up separately, exact to the millisecond", () => {
		const minute = Math.floor(NOW_MS / 60_000) * 60_000;
		const rollups = sumRollups([
			sale({ occurredAtMs: minute }),
			sale({ occurredAtMs: minute + 59_999 }),
			sale({ occurredAtMs: minute - 1 }),
			sale({ occurredAtMs: minute, collectionId: 2 }),
		]);
		expect(
			byKey(rollups).map(({ collectionId, bucketMs, sales }) => [collectionId, bucketMs, sales]),
		).toEqual([
			[1, minute - 60_000, 1],
			[1, minute, 2],
			[2, minute, 1],
		]);
	});

	test("coarse buckets made from fine ones equal those made from the events", () => {
		const events = fc.array(
			fc
				.record({
					occurredAtMs: fc.integer({ min: -2 * 86_400_000, max: 2 * 86_400_000 }),
					quantity: fc.bigInt(1n, 3n),
					total: fc.bigInt(0n, 2n ** 256n - 1n),
					priced: fc.boolean(),
					isMint: fc.boolean(),
					collectionId: fc.nat(2),
				})
				.map(({ total, priced, isMint, ...given }) => {
					const event = isMint ? mintOf(CATS, given) : saleOf(CATS, { ...given, totalRaw: total });
					return row(event, { ...given, totalNative: priced ? total : null });
				}),
		);
		fc.assert(
			fc.property(events, fc.constantFrom(...TIERS), (rows, { ms }) => {
				const aligned = rows.map((one) => {
					// Within its own minute a bucket's start stands for each of its events.
					return { ...one, occurredAtMs: Math.floor(one.occurredAtMs / ms) * ms };
				});
				expect(byKey(coarsen(sumRollups(rows), ms))).toEqual(byKey(sumRollups(aligned)));
			}),
		);
	});
});
