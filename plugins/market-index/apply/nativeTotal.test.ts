import { expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { nativeTotal } from "#plugins/market-index/apply/nativeTotal.ts";
import {
	base,
	chainNamed,
	ethereum,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";

const HUGE = 2n ** 256n - 1n;

test("ETH and its wrapped form are worth themselves, to the last wei", () => {
	for (const chain of [ethereum, base, chainNamed("arbitrum")]) {
		expect(nativeTotal(chain, ZERO_ADDRESS, HUGE)).toBe(HUGE);
		expect(chain.wrappedNative).not.toBeNull();
		expect(nativeTotal(chain, chain.wrappedNative, 1n)).toBe(1n);
	}
});

test("what needs a rate is unknown, and never guessed", () => {
	expect(nativeTotal(ethereum, STRANGE_COIN, 1n)).toBeNull();
	// Wrapped ETH of another chain is a stranger here.
	expect(nativeTotal(ethereum, base.wrappedNative, 1n)).toBeNull();
	expect(nativeTotal(polygon, ZERO_ADDRESS, 1n)).toBeNull();
	expect(nativeTotal(polygon, polygon.wrappedNative, 1n)).toBeNull();
	expect(nativeTotal(ethereum, ZERO_ADDRESS, null)).toBeNull();
	expect(nativeTotal(ethereum, null, 1n)).toBeNull();
});

test("nothing is nothing in any currency: a free mint is 0 and not unknown", () => {
	expect(nativeTotal(polygon, ZERO_ADDRESS, 0n)).toBe(0n);
	expect(nativeTotal(ethereum, STRANGE_COIN, 0n)).toBe(0n);
});
