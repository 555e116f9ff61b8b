import { expect, test } from "bun:test";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { nativeTotal } from "#plugins/market-index/rollup/nativeTotal.ts";
import {
	base,
	chainNamed,
	ethereum,
	NOW_MS,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { fakePrices } from "#test/harness/fakePrices.ts";

const HUGE = 2n ** 256n - 1n;
const none = fakePrices();
const paid = (currency: Address | null, totalRaw: bigint | null, occurredAtMs = NOW_MS) => {
	return { currency, totalRaw, occurredAtMs };
};

test("ETH and its wrapped form are worth themselves, to the last wei, and ask for no rate", () => {
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

test("what needs a rate is unknown, and never guessed", () => {
	expect(nativeTotal(ethereum, paid(STRANGE_COIN, 1n), none)).toBeNull();
	// Wrapped ETH of another chain is a stranger here.
	expect(nativeTotal(ethereum, paid(base.wrappedNative, 1n), none)).toBeNull();
	expect(nativeTotal(polygon, paid(ZERO_ADDRESS, 1n), none)).toBeNull();
	expect(nativeTotal(polygon, paid(polygon.wrappedNative, 1n), none)).toBeNull();
	expect(nativeTotal(ethereum, paid(ZERO_ADDRESS, null), none)).toBeNull();
	expect(nativeTotal(ethereum, paid(null, 1n), none)).toBeNull();
});

test("[MRG-05] any other currency is worth what its rate said at the event's own time", () => {
	const prices = fakePrices();
	prices.setEth(2_500);
	prices.set({ chainId: 1, currency: STRANGE_COIN, usd: 1, decimals: 6, fromMs: NOW_MS });
	expect(nativeTotal(ethereum, paid(STRANGE_COIN, 5_000_000_000n), prices)).toBe(2n * 10n ** 18n);
	expect(nativeTotal(ethereum, paid(STRANGE_COIN, 5n, NOW_MS - 1), prices)).toBeNull();
	prices.set({ chainId: 137, currency: ZERO_ADDRESS, usd: 0.5 });
	for (const currency of [ZERO_ADDRESS, polygon.wrappedNative]) {
		expect(nativeTotal(polygon, paid(currency, 5_000n), prices)).toBe(1n);
	}
});

test("[MRG-15] what would be worth more than all ETH there is has no worth that anybody knows", () => {
	const prices = fakePrices();
	prices.setEth(2_500);
	prices.set({ chainId: 1, currency: STRANGE_COIN, usd: 2_500, decimals: 18 });
	const most = 10n ** 27n;
	expect(nativeTotal(ethereum, paid(STRANGE_COIN, most), prices)).toBe(most);
	expect(nativeTotal(ethereum, paid(STRANGE_COIN, most + 1n), prices)).toBeNull();
});

test("nothing is nothing in any currency: a free mint is 0 and not unknown", () => {
	expect(nativeTotal(polygon, paid(ZERO_ADDRESS, 0n), none)).toBe(0n);
	expect(nativeTotal(ethereum, paid(STRANGE_COIN, 0n), none)).toBe(0n);
});
