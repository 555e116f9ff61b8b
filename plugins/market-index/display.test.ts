import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS } from "#core/time.ts";
import {
	displayCount,
	displayFloor,
	displayNative,
	displayTime,
	displayUsd,
} from "#plugins/market-index/display.ts";
import { renderEvent } from "#plugins/market-index/render/event.ts";
import {
	contractOf,
	ETH,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { fakePrices } from "#test/harness/fakes.ts";

describe("display", () => {
	test("an amount in wei is shown as the nearest number of ETH, and unknown stays unknown", () => {
		expect(displayNative("1500000000000000000")).toBe(1.5);
		expect(displayNative("1")).toBe(1e-18);
		expect(displayNative("0")).toBe(0);
		expect(displayNative(null)).toBeNull();
	});

	test("a floor or a supply of 0 counts as unknown, and is never shown as 0", () => {
		expect(displayFloor("0")).toBeNull();
		expect(displayFloor(null)).toBeNull();
		expect(displayFloor("2000000000000000000")).toBe(2);
		expect(displayCount("0")).toBeNull();
		expect(displayCount("10000")).toBe(10_000);
	});

	test("times are ISO 8601 in UTC with milliseconds", () => {
		expect(displayTime(new Date(0))).toBe("1970-01-01T00:00:00.000Z");
		expect(displayTime(null)).toBeNull();
	});
});

describe("displayUsd", () => {
	test("[MRG-02] USD is unknown if the amount or the rate is, and 0 if nothing was paid", () => {
		expect(displayUsd(null, 2_500)).toBeNull();
		expect(displayUsd(ETH, null)).toBeNull();
		expect(displayUsd(0n, 2_500)).toBe(0);
		expect(displayUsd(ETH / 2n, 2_500)).toBe(1_250);
	});

	test("[IDX-02] the shown amounts in USD and ETH have the rate as their quotient", () => {
		fc.assert(
			fc.property(
				fc.bigInt(1n, 10n ** 24n),
				fc.double({ min: 1, max: 1e6, noNaN: true }),
				(wei, rate) => {
					const native = Number(wei) / 1e18;
					expect((displayUsd(wei, rate) ?? 0) / native / rate).toBeCloseTo(1, 9);
				},
			),
		);
	});

	test("[MRG-05] an event is shown at the ETH rate of its own time, for one unit", () => {
		const asked: number[] = [];
		const prices = {
			...fakePrices(),
			ethUsd(atMs: number) {
				asked.push(atMs);
				return 2_000;
			},
		};
		const sale = saleOf(contractOf(1), { quantity: 4n, totalRaw: 2n * ETH });
		const event = { ...sale, totalNative: 2n * ETH };
		const shown = renderEvent(ethereum, event, { currencies: new Map(), prices });
		expect(shown).toMatchObject({ priceNative: 0.5, priceUsd: 1_000 });
		expect(asked).toEqual([NOW_MS - HOUR_MS]);
	});
});
