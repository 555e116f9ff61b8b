import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { parseAmount } from "#core/money.ts";
import { decimalOf } from "#plugins/prices/pricesOver.ts";
import { fakePrices } from "#test/harness/fakes.ts";

describe("decimalOf", () => {
	test("a JSON number is read as its decimal digits, not as the nearest double", () => {
		expect(decimalOf(0.07)?.(18)).toBe(70_000_000_000_000_000n);
		expect(decimalOf(1e21)?.(0)).toBe(10n ** 21n);
		expect(decimalOf(1.5e-7)?.(8)).toBe(15n);
		expect(decimalOf(1.99)?.(0)).toBe(1n);
		fc.assert(
			fc.property(fc.nat({ max: 10 ** 9 }), fc.nat({ max: 999_999 }), (whole, fraction) => {
				const text = `${whole}.${String(fraction).padStart(6, "0")}`;
				const currency = { symbol: "X", decimals: 18 };
				expect(decimalOf(Number(text))?.(18)).toBe(parseAmount(text, currency).units);
			}),
		);
	});

	test("a number that is no amount gives null", () => {
		for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
			expect(decimalOf(value)).toBeNull();
		}
	});
});

describe("pricesOver", () => {
	const COIN: Address = `0x${"c0".repeat(20)}`;
	const chains = createChainRegistry(builtinChains);
	const coin = { chainId: 1, currency: COIN };
	const pol = { chainId: 137, currency: ZERO_ADDRESS };
	const NOW = 1_700_000_000_000;

	describe("without any feed", () => {
		const prices = fakePrices();
		test("ETH, native or wrapped, has the price one ETH on its chains; other currencies have none", () => {
			for (const chain of builtinChains) {
				for (const currency of [ZERO_ADDRESS, chain.wrappedNative]) {
					if (!currency) continue;
					const given = { chainId: chain.id, currency };
					expect(prices.toNative(given, 7n, NOW)).toBe(chain.nativeIsEth ? 7n : null);
					expect(prices.toUsd(given, 7n, NOW)).toBeNull();
					expect(prices.hasFeed(given)).toBe(false);
				}
			}
			expect(prices.toNative(coin, 1n, NOW)).toBeNull();
			expect(prices.ethUsd(NOW)).toBeNull();
			expect(prices.nativeOfSymbol(1, "ETH", 0.07, NOW)).toBe(7n * 10n ** 16n);
			expect(prices.nativeOfSymbol(1, "", 0.07, NOW)).toBeNull();
			expect(prices.nativeOfSymbol(4_242_424_242, "ETH", 1, NOW)).toBeNull();
		});
	});

	describe("the same money on several chains", () => {
		const POLYGON_WETH: Address = "0x7ceb23fd6bc0add59e62ac25578270cff1b9f619";
		const bridged: [number, Address][] = [
			[137, POLYGON_WETH],
			[2_020, "0xc99a6a985ed2cac1ef41640596c5a5f9f4e19ef5"],
			[43_114, "0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab"],
		];
		const usdc = { chainId: 1, currency: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" } as const;
		const onBase = {
			chainId: 8_453,
			currency: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
		} as const;

		test("[MRG-05] ether that was bridged to a chain with another coin is one ETH, without any feed", () => {
			const prices = fakePrices(chains);
			for (const [chainId, currency] of bridged) {
				expect(prices.toNative({ chainId, currency }, 7n, NOW)).toBe(7n);
				expect(prices.hasFeed({ chainId, currency })).toBe(false);
				// The same address on another chain is another token.
				expect(prices.toNative({ chainId: 10, currency }, 7n, NOW)).toBeNull();
			}
			prices.setEth(2_500);
			expect(prices.toUsd({ chainId: 137, currency: POLYGON_WETH }, 10n ** 18n, NOW)).toBe(2_500);
		});

		test("[MRG-05] a dollar without a feed has the price of the same dollar's, and without any none", () => {
			const prices = fakePrices(chains);
			prices.setEth(2_500);
			expect(prices.toNative(onBase, 2_500_000_000n, NOW)).toBeNull();
			expect(prices.hasFeed(onBase)).toBe(false);
			prices.set({ ...usdc, usd: 1, decimals: 6 });
			expect(prices.toNative(onBase, 2_500_000_000n, NOW)).toBe(10n ** 18n);
			expect(prices.hasFeed(onBase)).toBe(true);
			// Its own feed comes first.
			prices.set({ ...onBase, usd: 0.5, decimals: 6 });
			expect(prices.toNative(onBase, 2_500_000_000n, NOW)).toBe(5n * 10n ** 17n);
		});

		test("a dollar with other decimals than the one that has the feed is counted by its own", () => {
			const prices = fakePrices(chains);
			const usdt = { chainId: 1, currency: "0xdac17f958d2ee523a2206206994597c13d831ec7" } as const;
			prices.set({ ...usdt, usd: 1, decimals: 6 });
			const coin = { chainId: 988, currency: ZERO_ADDRESS };
			expect(prices.toUsd(coin, 10n ** 18n, NOW)).toBe(1);
			const asToken = "0x779ded0c9e1022225f8e0630b35a9b54be713736" as const;
			expect(prices.toUsd({ chainId: 988, currency: asToken }, 10n ** 6n, NOW)).toBe(1);
		});
	});

	describe("with rates", () => {
		const prices = fakePrices(chains);
		prices.setEth(2_500);
		prices.set({ ...coin, usd: 1, decimals: 6, symbol: "usdc" });
		prices.set({ ...pol, usd: 0.5 });

		test("[MRG-05] an amount is converted to ETH through USD, whatever its currency", () => {
			expect(prices.toNative(coin, 2_500_000_000n, NOW)).toBe(10n ** 18n);
			expect(prices.toNative(pol, 5_000n * 10n ** 18n, NOW)).toBe(10n ** 18n);
			const wrapped = chains.byId(137)?.wrappedNative ?? ZERO_ADDRESS;
			expect(prices.toNative({ chainId: 137, currency: wrapped }, 5_000n, NOW)).toBe(1n);
			expect(prices.nativeOfSymbol(1, "USDC", 2.5, NOW)).toBe(10n ** 15n);
			expect(prices.nativeOfSymbol(137, "POL", 5_000, NOW)).toBe(10n ** 18n);
			expect(prices.nativeOfSymbol(137, "WETH", 2, NOW)).toBe(2n * 10n ** 18n);
			expect(prices.nativeOfSymbol(137, "USDC", 2, NOW)).toBeNull();
			expect(prices.toUsd(coin, 1_234_567n, NOW)).toBe(1.234567);
			expect(prices.toUsd({ chainId: 8_453, currency: ZERO_ADDRESS }, 10n ** 18n, NOW)).toBe(2_500);
		});

		test("the converted amount is never above its value, and less than one wei below it", () => {
			fc.assert(
				fc.property(
					fc.bigInt(0n, 10n ** 30n),
					fc.integer({ min: 1, max: 10 ** 12 }),
					(raw, cents) => {
						const some = fakePrices(chains);
						some.setEth(3_141.59);
						some.set({ ...coin, usd: cents / 100, decimals: 6 });
						const rate = some.usdRate(coin, NOW);
						const eth = some.usdRate({ chainId: 1, currency: ZERO_ADDRESS }, NOW);
						const wei = some.toNative(coin, raw, NOW);
						if (!rate || !eth || wei === null) throw new Error("a rate is missing");
						// raw × answer × 10^18 against wei × ETH's answer × 10^6: both rates have 8 places.
						const worth = raw * rate.answer * 10n ** 18n;
						const shown = wei * eth.answer * 10n ** 6n;
						expect(shown <= worth).toBe(true);
						expect(worth - shown < eth.answer * 10n ** 6n).toBe(true);
					},
				),
			);
		});

		test("an amount beyond uint256 has no price, and throws nothing", () => {
			expect(prices.toNative(coin, 2n ** 256n - 1n, NOW)).toBeNull();
			expect(prices.toUsd(coin, 2n ** 256n - 1n, NOW)).toBeGreaterThan(1e70);
		});
	});
});
