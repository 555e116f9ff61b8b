import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { orderRowOf } from "#plugins/market-index/orders/OrderRow.ts";
import {
	AMOUNT_MAX,
	bucketOf,
	capAmount,
	nativeTotal,
	renderCandle,
	TIERS,
	windowOf,
} from "#plugins/market-index/rollup/windows.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import {
	base,
	chainNamed,
	contractOf,
	ethereum,
	NOW_MS,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { fakePrices } from "#test/harness/fakes.ts";

describe("candles", () => {
	describe("capAmount", () => {
		test("sums of up to 78 digits are exact, and larger ones are capped", () => {
			for (const sum of [0n, 8n * (2n ** 256n - 1n), AMOUNT_MAX]) expect(capAmount(sum)).toBe(sum);
			expect(capAmount(AMOUNT_MAX + 1n)).toBe(AMOUNT_MAX);
			expect(AMOUNT_MAX.toString()).toBe("9".repeat(78));
		});

		test("capping a sum at each step or at its end gives the same, in any order", () => {
			const amounts = fc.array(fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(0n, AMOUNT_MAX)));
			fc.assert(
				fc.property(amounts, (parts) => {
					const stepwise = parts.reduce((sum, part) => capAmount(sum + part), 0n);
					expect(stepwise).toBe(capAmount(parts.reduceRight((sum, part) => sum + part, 0n)));
				}),
			);
		});
	});

	describe("nativeTotal", () => {
		const HUGE = 2n ** 256n - 1n;
		const none = fakePrices();
		const paid = (currency: Address | null, totalRaw: bigint | null, occurredAtMs = NOW_MS) => {
			return { currency, totalRaw, occurredAtMs };
		};

		test("ETH and its wrapped form are valued exactly, without a rate", () => {
			const unasked = {
				toNative() {
					throw new Error("a rate was asked for");
				},
			};
			for (const chain of [ethereum, base, chainNamed("arbitrum")]) {
				expect(nativeTotal(chain, paid(ZERO_ADDRESS, HUGE), unasked)).toBe(HUGE);
				expect(chain.wrappedNative).not.toBeNull();
				expect(nativeTotal(chain, paid(chain.wrappedNative, 1n), unasked)).toBe(1n);
			}
		});

		test("a payment with an unknown rate has an unknown value", () => {
			expect(nativeTotal(ethereum, paid(STRANGE_COIN, 1n), none)).toBeNull();
			// Wrapped ETH of another chain is a stranger here.
			expect(nativeTotal(ethereum, paid(base.wrappedNative, 1n), none)).toBeNull();
			expect(nativeTotal(polygon, paid(ZERO_ADDRESS, 1n), none)).toBeNull();
			expect(nativeTotal(polygon, paid(polygon.wrappedNative, 1n), none)).toBeNull();
			expect(nativeTotal(ethereum, paid(ZERO_ADDRESS, null), none)).toBeNull();
			expect(nativeTotal(ethereum, paid(null, 1n), none)).toBeNull();
		});

		test("[MRG-05] any other currency is converted by its rate at the event's own time", () => {
			const prices = fakePrices();
			prices.setEth(2_500);
			prices.set({ chainId: 1, currency: STRANGE_COIN, usd: 1, decimals: 6, fromMs: NOW_MS });
			expect(nativeTotal(ethereum, paid(STRANGE_COIN, 5_000_000_000n), prices)).toBe(
				2n * 10n ** 18n,
			);
			expect(nativeTotal(ethereum, paid(STRANGE_COIN, 5n, NOW_MS - 1), prices)).toBeNull();
			prices.set({ chainId: 137, currency: ZERO_ADDRESS, usd: 0.5 });
			for (const currency of [ZERO_ADDRESS, polygon.wrappedNative]) {
				expect(nativeTotal(polygon, paid(currency, 5_000n), prices)).toBe(1n);
			}
		});

		test("[MRG-05] bridged ether is one ETH in a sale as it is in a floor", () => {
			const weth: Address = "0x7ceb23fd6bc0add59e62ac25578270cff1b9f619";
			expect(nativeTotal(polygon, paid(weth, 10n ** 18n), none)).toBe(10n ** 18n);
			const most = 10n ** 27n;
			expect(nativeTotal(polygon, paid(weth, most + 1n), none)).toBeNull();
			const order = listingOf(contractOf(1), { chainId: polygon.id, currency: weth });
			const collection = { id: 1, chainId: polygon.id, address: contractOf(1) };
			const row = orderRowOf(order, collection, { prices: none, nowMs: NOW_MS });
			expect(row?.unitNative).toBe((order.totalRaw / order.quantity).toString());
		});

		test("[MRG-15] a payment worth more than all existing ETH has an unknown value", () => {
			const prices = fakePrices();
			prices.setEth(2_500);
			prices.set({ chainId: 1, currency: STRANGE_COIN, usd: 2_500, decimals: 18 });
			const most = 10n ** 27n;
			expect(nativeTotal(ethereum, paid(STRANGE_COIN, most), prices)).toBe(most);
			expect(nativeTotal(ethereum, paid(STRANGE_COIN, most + 1n), prices)).toBeNull();
		});

		test("a payment of 0 is 0 in any currency: a free mint has a known price", () => {
			expect(nativeTotal(polygon, paid(ZERO_ADDRESS, 0n), none)).toBe(0n);
			expect(nativeTotal(ethereum, paid(STRANGE_COIN, 0n), none)).toBe(0n);
		});
	});

	describe("renderCandle", () => {
		test("a candle shows the nearest number to each exact amount, and its time in UTC", () => {
			const row = {
				bucket: new Date(Date.UTC(2026, 2, 10, 14, 37)),
				open: "1000000000000000001",
				high: "123456789012345678901234567890",
				low: "1",
				close: "0",
				volume: (2n ** 256n - 1n).toString(),
				sales: 3,
			};
			expect(renderCandle(row)).toEqual({
				openTime: "2026-03-10T14:37:00.000Z",
				open: 1,
				high: 123_456_789_012.345_67,
				low: 1e-18,
				close: 0,
				volumeNative: Number(2n ** 256n - 1n) / 1e18,
				volumeRaw: (2n ** 256n - 1n).toString(),
				volumeCurrency: { symbol: "ETH", decimals: 18 },
				sales: 3,
			});
		});
	});
});

describe("windows", () => {
	describe("bucketOf", () => {
		test("a bucket holds its time and begins at a whole multiple since 1970, also before 1970", () => {
			const time = fc.integer({ min: -8.64e15, max: 8.64e15 });
			fc.assert(
				fc.property(time, fc.constantFrom(...TIERS), (atMs, { ms }) => {
					const start = bucketOf(atMs, ms);
					expect(start <= atMs && atMs < start + ms).toBe(true);
					expect(Math.abs(start % ms)).toBe(0);
				}),
			);
		});

		test("each tier's length divides the next one's, so that coarse buckets are sums of fine ones", () => {
			for (const [index, { ms }] of TIERS.entries()) {
				expect(ms % (TIERS[index - 1]?.ms ?? 1)).toBe(0);
			}
		});
	});

	describe("windowOf", () => {
		test("a window begins at a whole minute and is split at the first whole hour and midnight", () => {
			const now = Date.parse("2026-03-10T14:37:25.500Z");
			expect(windowOf(now, 86_400_000)).toEqual({
				start: new Date("2026-03-09T14:37:00.000Z"),
				hours: new Date("2026-03-09T15:00:00.000Z"),
				days: new Date("2026-03-10T00:00:00.000Z"),
			});
		});

		test("a window that begins at a boundary has no part in the finer tier", () => {
			const midnight = Date.parse("2026-03-10T00:00:00.000Z");
			const all = new Date("2026-03-09T00:00:00.000Z");
			expect(windowOf(midnight, 86_400_000)).toEqual({ start: all, hours: all, days: all });
		});

		test("a window covers its length, at most a minute more, and is split at whole hours and days", () => {
			const now = fc.integer({ min: 0, max: 4_102_444_800_000 });
			const length = fc.integer({ min: 1, max: 30 * 86_400_000 });
			fc.assert(
				fc.property(now, length, (nowMs, lengthMs) => {
					const { start, hours, days } = windowOf(nowMs, lengthMs);
					const early = nowMs - lengthMs - start.getTime();
					expect(early).toBeGreaterThanOrEqual(0);
					expect(early).toBeLessThan(60_000);
					expect(start.getTime() % 60_000 === 0 && hours.getTime() % 3_600_000 === 0).toBe(true);
					expect(days.getTime() % 86_400_000 === 0).toBe(true);
					expect(start <= hours && hours <= days).toBe(true);
					expect(hours.getTime() - start.getTime()).toBeLessThan(3_600_000);
					expect(days.getTime() - hours.getTime()).toBeLessThan(86_400_000);
				}),
			);
		});
	});
});
