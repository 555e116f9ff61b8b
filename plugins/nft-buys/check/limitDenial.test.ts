import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { limitDenial } from "#plugins/nft-buys/check/limitDenial.ts";
import { fakePrices } from "#test/harness/fakePrices.ts";

const chains = createChainRegistry(builtinChains);
const COIN: Address = `0x${"c".repeat(40)}`;
const ETHER = 10n ** 18n;

function setUp(slug = "ethereum") {
	const chain = chains.bySlug(slug);
	if (!chain) throw new Error(slug);
	const prices = fakePrices(chains);
	const code = (currency: Address, raw: bigint, limitRaw: bigint | null) =>
		limitDenial({ price: { currency, raw }, limitRaw, chain, prices, nowMs: 1 })?.code ?? null;
	return { chain, prices, code };
}

test("[NFT-03] the chain's coin and its wrapped form are compared with the limit to the unit", () => {
	const { code, chain } = setUp();
	for (const currency of [ZERO_ADDRESS, chain.wrappedNative ?? COIN]) {
		expect(code(currency, ETHER, ETHER)).toBeNull();
		expect(code(currency, ETHER + 1n, ETHER)).toBe("price_limit_exceeded");
	}
});

test("other currencies are compared by both rates, exactly, whatever their decimals", () => {
	const { code, prices } = setUp();
	prices.setEth(2_000);
	prices.set({ chainId: 1, currency: COIN, usd: 1, decimals: 6 });
	expect(code(COIN, 2_000_000_000n, ETHER)).toBeNull();
	expect(code(COIN, 2_000_000_001n, ETHER)).toBe("price_limit_exceeded");
	// One wei less of the limit is worth less than 2,000 dollars.
	expect(code(COIN, 2_000_000_000n, ETHER - 1n)).toBe("price_limit_exceeded");
});

test("a chain whose coin is not ETH uses its own coin's rate", () => {
	const { code, prices } = setUp("polygon");
	prices.set({ chainId: 137, currency: COIN, usd: 1, decimals: 6 });
	expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
	prices.setEth(2_000);
	expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
	prices.set({ chainId: 137, currency: ZERO_ADDRESS, usd: 0.5 });
	expect(code(COIN, 500_000n, ETHER)).toBeNull();
	expect(code(COIN, 500_001n, ETHER)).toBe("price_limit_exceeded");
});

test("[NFT-01] without a rate nothing is under a limit; without a limit nothing is compared", () => {
	const { code, prices } = setUp();
	expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
	prices.set({ chainId: 1, currency: COIN, usd: 1 });
	expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
	prices.setEth(2_000);
	prices.set({ chainId: 1, currency: COIN, usd: 0 });
	expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
	expect(code(COIN, 1n, null)).toBeNull();
});
