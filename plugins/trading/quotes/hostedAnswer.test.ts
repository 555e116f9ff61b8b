import { expect, test } from "bun:test";
import { Token } from "@uniswap/sdk-core";
import { computePoolAddress, FeeAmount } from "@uniswap/v3-sdk";
import { Pool as V4Pool } from "@uniswap/v4-sdk";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { isPoolAddress } from "#plugins/trading/quotes/hostedAnswer.ts";

// Guarantee: a pool's address is accepted with the tokens, the fee and the hooks of that pool only.

const FACTORY: Address = "0x1f7d7550b1b028f7571e69a784071f0205fd2efa";
const USDG: Address = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
const WETH: Address = "0x0bd7d308f8e1639fab988df18a8011f41eacad73";
const token = (address: Address) => new Token(4663, address, 18);

test("a V3 pool's address equals the one that Uniswap's SDK computes", () => {
	for (const fee of [FeeAmount.LOWEST, FeeAmount.LOW, FeeAmount.MEDIUM, FeeAmount.HIGH]) {
		const address = computePoolAddress({
			...{ factoryAddress: FACTORY, tokenA: token(USDG), tokenB: token(WETH), fee },
		});
		const pool = { type: "v3-pool", address, fee } as const;
		for (const tokens of [[USDG, WETH] as const, [WETH, USDG] as const]) {
			expect(isPoolAddress(pool, { tokens, factory: FACTORY })).toBe(true);
		}
		expect(isPoolAddress({ ...pool, fee: 501 }, { tokens: [USDG, WETH], factory: FACTORY })).toBe(
			false,
		);
		expect(isPoolAddress(pool, { tokens: [USDG, WETH], factory: WETH })).toBe(false);
		expect(isPoolAddress(pool, { tokens: [USDG, ZERO_ADDRESS], factory: FACTORY })).toBe(false);
	}
});

test("a V4 pool's id equals the one that Uniswap's SDK computes, and the one in the API's example", () => {
	const tokens: readonly [Address, Address] = [USDG, WETH];
	const [fee, tickSpacing, hooks]: [number, number, Address] = [3_000, 60, `0x${"44".repeat(20)}`];
	const address = V4Pool.getPoolId(token(USDG), token(WETH), fee, tickSpacing, hooks);
	const pool = { type: "v4-pool", address, fee, tickSpacing, hooks } as const;
	const given = { tokens, factory: FACTORY };
	expect(isPoolAddress(pool, given)).toBe(true);
	expect(isPoolAddress({ ...pool, fee: 3_001 }, given)).toBe(false);
	expect(isPoolAddress({ ...pool, tickSpacing: 10 }, given)).toBe(false);
	expect(isPoolAddress({ ...pool, hooks: ZERO_ADDRESS }, given)).toBe(false);
	// WBTC and the coin itself at 0.05 %, of the documentation of the Trading API.
	const example = "0x599326d9cd5e1ea0893305c87d5ec3199e7f05e94d72159f35dea381479a615e";
	const wbtc: Address = "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599";
	const documented = { ...pool, address: example, fee: 500, tickSpacing: 10, hooks: ZERO_ADDRESS };
	expect(isPoolAddress(documented, { ...given, tokens: [wbtc, ZERO_ADDRESS] })).toBe(true);
});
