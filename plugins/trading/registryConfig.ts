// Declares the settings for tokens, their prices, and who may trade them.

import { z } from "zod";
import { commaList, jsonText } from "#core/config/fields.ts";
import { SYNC_SECONDS_DEFAULT } from "#plugins/trading/limits.ts";
import { FEED_SILENT_SECONDS_DEFAULT } from "#plugins/trading/prices/createReference.ts";
import { MARKET_HOURS } from "#plugins/trading/prices/marketHours.ts";
import { ELIGIBILITY_MODES } from "#plugins/trading/registry/createEligibility.ts";
import { address, feedsConfig, poolsConfig } from "#plugins/trading/registry/createPools.ts";

/**
 * Countries where issuers of stock tokens say that they do not sell: the United States, the United
 * Kingdom, and those under comprehensive sanctions. Deployments with other terms set their own
 * list.
 */
const EXCLUDED_DEFAULT = "US,GB,CU,IR,KP,SY,RU,BY";
const ATTESTATION_DAYS_DEFAULT = 30;

/** USDG, and Uniswap's V3 factory, on the real chain 4663. */
const USDG = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
const V3_FACTORY = "0x1f7d7550b1b028f7571e69a784071f0205fd2efa";

/** Settings for tokens, their prices and who may trade them. */
export const registryConfig = {
	STOCK_ASSETS_BASE_URL: z
		.url({ protocol: /^https?$/ })
		.optional()
		.describe(
			"Reads the issuer's list of stock tokens from this URL: https://api.robinhood.com. " +
				"Unset: no list is read, and the registry stays as it is.",
		),
	STOCK_SYNC_SECONDS: z
		.int()
		.min(5)
		.max(86_400)
		.default(SYNC_SECONDS_DEFAULT)
		.describe("Reads the issuer's list, and checks all tokens on chain, every so many seconds."),
	STOCK_FEEDS_JSON: jsonText(feedsConfig)
		.default({})
		.meta({ expects: 'JSON such as {"0x…":"0x…"}' })
		.describe(
			"Names the price feed of each stock token, by the token's address. Operators can set " +
				"others while the service runs.",
		),
	STOCK_MARKET_HOURS: z
		.enum(MARKET_HOURS)
		.default("us_equities_24_5")
		.describe("Sets when a stock's market is open: on its exchange's trading days, or always."),
	STOCK_FEED_SILENT_SECONDS: z
		.int()
		.min(10)
		.max(86_400)
		.default(FEED_SILENT_SECONDS_DEFAULT)
		.describe(
			"Ignores a stock's price feed that was silent for so many seconds while at least half " +
				"of the other feeds were not.",
		),
	STOCK_ELIGIBILITY: z
		.enum(ELIGIBILITY_MODES)
		.default("closed")
		.describe(
			"Decides who may trade stock tokens. closed: nobody. attested: people whose country " +
				"an operator recorded. open: everybody, for the sandbox.",
		),
	STOCK_COUNTRIES_EXCLUDED: commaList(z.string().toUpperCase().length(2))
		.default(EXCLUDED_DEFAULT.split(","))
		.meta({ expects: "countries by ISO 3166-1, separated by commas, such as US,GB" })
		.describe("Refuses trades of people who live in these countries."),
	STOCK_ATTESTATION_DAYS: z
		.int()
		.min(1)
		.max(3_650)
		.default(ATTESTATION_DAYS_DEFAULT)
		.describe("Believes a recorded country for so many days."),
	TRADE_SETTLEMENT_ASSETS: commaList(address)
		.default([USDG])
		.meta({ expects: "addresses on chain 4663, separated by commas" })
		.describe("Lists the tokens that trades are paid in, besides ETH and WETH."),
	TRADE_POOLS_JSON: jsonText(poolsConfig)
		.default([])
		.meta({ expects: 'JSON such as [{"address":"0x…","tokens":["0x…","0x…"],"fee":3000}]' })
		.describe("Lists the Uniswap V3 pools that trades may go through. A fee of 3000 is 0.3 %."),
	TRADE_POOL_DEVIATION_BPS_MAX: z
		.int()
		.min(1)
		.max(10_000)
		.default(500)
		.describe(
			"Ignores a pool whose price is further than this from the price feeds, in basis " + "points.",
		),
	TRADE_V3_FACTORY: address
		.default(V3_FACTORY)
		.meta({ expects: "an address on chain 4663" })
		.describe("Names Uniswap's V3 factory. Pools that it did not create are not used."),
};
