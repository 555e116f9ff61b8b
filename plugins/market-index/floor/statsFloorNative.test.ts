import { expect, test } from "bun:test";
import { statsFloorNative } from "#plugins/market-index/floor/statsFloorNative.ts";
import { NOW_MS, polygon } from "#plugins/market-index/testing/marketFixture.ts";
import { fakePrices } from "#test/harness/fakePrices.ts";

test("[MRG-05] the provider's floor is used only when it is quoted in ETH, whatever the chain's coin", () => {
	const rates = { chainId: polygon.id, prices: fakePrices(), nowMs: NOW_MS };
	rates.prices.setEth(2_000);
	rates.prices.set({ chainId: polygon.id, currency: `0x${"0".repeat(40)}`, usd: 1, symbol: "POL" });
	for (const symbol of ["ETH", "WETH", "eth"]) {
		expect(statsFloorNative({ value: 0.5, symbol }, rates)).toBe(5n * 10n ** 17n);
	}
	for (const symbol of ["POL", "USDC", "", "APE"]) {
		expect(statsFloorNative({ value: 0.5, symbol }, rates)).toBeNull();
	}
	expect(statsFloorNative(null, rates)).toBeNull();
});
