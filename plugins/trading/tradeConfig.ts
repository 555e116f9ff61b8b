// Declares the settings for quotes and swaps.

import { z } from "zod";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { jsonText } from "#core/config/fields.ts";
import { address } from "#plugins/trading/registry/createPools.ts";

/** Uniswap's SwapRouter02 and QuoterV2 on the real chain 4663. */
const V3_ROUTER = "0xcaf681a66d020601342297493863e78c959e5cb2";
const V3_QUOTER = "0x33e885ed0ec9bf04ecfb19341582aadcb4c8a9e7";
const V4_QUOTER = "0x8dc178efb8111bb0973dd9d722ebeff267c98f94";
const V4_POOLS_MAX = 64;
const v4Pool = z
	.strictObject({
		tokens: z.tuple([address, address]),
		fee: z.int().min(0).max(0xff_ff_ff),
		tickSpacing: z.int().min(1).max(32_767),
		hooks: address.default(ZERO_ADDRESS),
	})
	.refine(({ tokens: [one, other] }) => one !== other, "a pool has two tokens");
const bps = z.int().min(0).max(5_000);

/** Settings for quotes and swaps. */
export const tradeConfig = {
	ROUTER_BASE_URL: z
		.url({ protocol: /^https?$/ })
		.optional()
		.describe(
			"Asks the hosted router for quotes at this URL: " +
				"https://trade-api.gateway.uniswap.org/v1. Unset: only the chain's own quoter is " +
				"asked.",
		),
	ROUTER_API_KEY: z
		.string()
		.default("")
		.meta({ secret: true })
		.describe("Is sent to the hosted router as x-api-key."),
	ROUTER_CALLS_PER_SECOND: z
		.int()
		.min(1)
		.max(1_000)
		.default(10)
		.describe(
			"Limits how many quotes all processes together ask the hosted router for in a second.",
		),
	TRADE_V3_ROUTER: address
		.default(V3_ROUTER)
		.meta({ expects: "an address on chain 4663" })
		.describe("Names Uniswap's SwapRouter02. Swaps are sent to this contract only."),
	TRADE_V3_QUOTER: address
		.default(V3_QUOTER)
		.meta({ expects: "an address on chain 4663" })
		.describe("Names Uniswap's QuoterV2, which simulates swaps on chain."),
	TRADE_V4_QUOTER: address
		.default(V4_QUOTER)
		.meta({ expects: "an address on chain 4663" })
		.describe("Names Uniswap's V4Quoter, which simulates swaps through V4 pools on chain."),
	TRADE_V4_POOLS_JSON: jsonText(z.array(v4Pool).max(V4_POOLS_MAX))
		.default([])
		.meta({
			expects: 'JSON such as [{"tokens":["0x…","0x…"],"fee":3000,"tickSpacing":60,"hooks":"0x0…"}]',
		})
		.describe(
			"Lists Uniswap V4 pools to compare prices with. No swap is sent through them. A pool " +
				"has hooks only where they are named.",
		),
	TRADE_SLIPPAGE_BPS_MAX: bps
		.default(50)
		.describe(
			"Limits how much less than quoted may be received, or how much more may be spent, in " +
				"basis points.",
		),
	TRADE_IMPACT_BPS_MAX: bps
		.default(300)
		.describe(
			"Refuses trades that move the price of their pools further than this, in basis " + "points.",
		),
	TRADE_DIVERGENCE_BPS_MAX: bps
		.default(100)
		.describe(
			"Has an operator review trades whose quotes are further apart than this, in basis " +
				"points.",
		),
	TRADE_REFERENCE_BPS_MAX: bps
		.default(500)
		.describe(
			"Refuses trades that lose more than this against the price feeds, or without those against " +
				"their pools' mean of half an hour, in basis points.",
		),
	TRADE_CLOSED_BPS_MAX: bps
		.default(1_000)
		.describe(
			"Refuses trades that lose more than this against the last close while the market is " +
				"closed, in basis points.",
		),
	TRADE_UNPRICED_USD_MAX: z
		.int()
		.min(0)
		.max(1_000_000)
		.default(200)
		.describe(
			"Asks the owner of a trade by a link where nothing sure says its price, up to so many " +
				"dollars; refuses what is above. 0: refuses all.",
		),
	TRADE_MIN_LIQUIDITY_USD: z
		.int()
		.min(0)
		.max(1_000_000_000)
		.default(0)
		.describe(
			"Refuses trades through a pool that holds fewer dollars than this, while operators " +
				"have switched the setting enforce_min_liquidity on. 0: no limit.",
		),
	TRADE_QUOTE_TIMEOUT_MS: z
		.int()
		.min(50)
		.max(15_000)
		.default(3_000)
		.describe("Waits so many milliseconds for a source's quote. A slower source counts as silent."),
};
