import { z } from "zod";
import { commaList } from "#core/config/commaList.ts";
import { jsonText } from "#core/config/jsonText.ts";
import {
	ATTESTATION_DAYS_DEFAULT,
	ELIGIBILITY_MODES,
	EXCLUDED_DEFAULT,
} from "#plugins/trading/eligibility.ts";
import { FEED_SILENT_SECONDS_DEFAULT } from "#plugins/trading/prices/limits.ts";
import { MARKET_HOURS } from "#plugins/trading/prices/marketHours.ts";
import { SYNC_SECONDS_DEFAULT } from "#plugins/trading/registry/limits.ts";
import { address, feedsConfig, poolsConfig } from "#plugins/trading/registry/poolsConfig.ts";

/** USDG, and Uniswap's V3 factory, on the real chain 4663. */
const USDG = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
const V3_FACTORY = "0x1f7d7550b1b028f7571e69a784071f0205fd2efa";

/** Settings for tokens, their prices and who may trade them. */
export const registryConfig = {
	STOCK_ASSETS_BASE_URL: z
		.url({ protocol: /^https?$/ })
		.optional()
		.describe(
			"Where the issuer's list of stock tokens is: https://api.robinhood.com. Unset: no list is " +
				"read, and the registry stays as it is.",
		),
	STOCK_SYNC_SECONDS: z
		.int()
		.min(5)
		.max(86_400)
		.default(SYNC_SECONDS_DEFAULT)
		.describe("How often the issuer's list is read and all tokens are checked on chain."),
	STOCK_FEEDS_JSON: jsonText(feedsConfig)
		.default({})
		.meta({ expects: 'JSON such as {"0x…":"0x…"}' })
		.describe("Price feeds of stock tokens, by token. Operators name more while it runs."),
	STOCK_MARKET_HOURS: z
		.enum(MARKET_HOURS)
		.default("us_equities_24_5")
		.describe("When stocks have a price: their exchange's days, or always, as their feeds say."),
	STOCK_FEED_SILENT_SECONDS: z
		.int()
		.min(10)
		.max(86_400)
		.default(FEED_SILENT_SECONDS_DEFAULT)
		.describe(
			"A stock's feed that is silent for longer is not believed, if half of the others speak.",
		),
	STOCK_ELIGIBILITY: z
		.enum(ELIGIBILITY_MODES)
		.default("closed")
		.describe(
			"Who may trade stock tokens: nobody, whoever's place an operator recorded, or (for the " +
				"sandbox) everybody.",
		),
	STOCK_COUNTRIES_EXCLUDED: commaList(z.string().toUpperCase().length(2))
		.default(EXCLUDED_DEFAULT.split(","))
		.meta({ expects: "countries by ISO 3166-1, separated by commas, such as US,GB" })
		.describe("Where stock tokens may not be traded from."),
	STOCK_ATTESTATION_DAYS: z
		.int()
		.min(1)
		.max(3_650)
		.default(ATTESTATION_DAYS_DEFAULT)
		.describe("How long a recorded place is believed."),
	TRADE_SETTLEMENT_ASSETS: commaList(address)
		.default([USDG])
		.meta({ expects: "addresses on chain 4663, separated by commas" })
		.describe("What trades settle in beside ETH and WETH: USDG unless set."),
	TRADE_POOLS_JSON: jsonText(poolsConfig)
		.default([])
		.meta({ expects: 'JSON such as [{"address":"0x…","tokens":["0x…","0x…"],"fee":3000}]' })
		.describe("The Uniswap V3 pools that trades may go through, with fees in 1/100 of a bip."),
	TRADE_POOL_DEVIATION_BPS_MAX: z
		.int()
		.min(1)
		.max(10_000)
		.default(500)
		.describe("A pool whose price is further from the feeds' is not used, in basis points."),
	TRADE_V3_FACTORY: address
		.default(V3_FACTORY)
		.meta({ expects: "an address on chain 4663" })
		.describe("Uniswap's V3 factory: pools that it does not know are not used."),
};
