import type { Coin } from "#test/conformance/provider/world/World.ts";

const NATIVE = "0x0000000000000000000000000000000000000000";

/** Currencies of the world, each at its real address. */
export const coins = {
	eth: { symbol: "ETH", address: NATIVE, decimals: 18 },
	wethOnBase: {
		symbol: "WETH",
		address: "0x4200000000000000000000000000000000000006",
		decimals: 18,
	},
	wethOnEthereum: {
		symbol: "WETH",
		address: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
		decimals: 18,
	},
	usdcOnBase: {
		symbol: "USDC",
		address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
		decimals: 6,
	},
	ape: { symbol: "APE", address: NATIVE, decimals: 18 },
	wape: {
		symbol: "WAPE",
		address: "0x48b62137edfa95a428d35c09e44256a739f6b557",
		decimals: 18,
	},
} as const satisfies Record<string, Coin>;
