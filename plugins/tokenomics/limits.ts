// Limits the work on the token, and declares the variables that name its contracts.

import { z } from "zod";
import { BLOCK_NUMBER_MAX, isAddress } from "#core/chain/Hex.ts";
import { coreConfig } from "#core/config/coreConfig.ts";

/** The number of blocks on top of an event before it is read, as for payments. */
export const FINAL_DEPTH_DEFAULT = 64;

/** Limits the time of one check of the contracts. */
export const CHECK_TIMEOUT_MS = 10_000;

/** Limits the gas that a view of a contract may burn, in hex. */
export const VIEW_GAS = "0x7a120";

/** Limits the blocks of one request; a node that refuses this many is asked for fewer. */
export const RANGE_BLOCKS_MAX = 10_000;

/** Says how often what is final is looked for. */
export const LEDGER_EVERY_MS = 15_000;
export const LEDGER_TIMEOUT_MS = 300_000;

/** The interval of comparing the ledger with the chain. */
export const COMPARE_EVERY_MS = 3_600_000;

/** The time without a comparison of ledger and chain after which operators are alerted. */
export const COMPARE_OVERDUE_MS = 3 * COMPARE_EVERY_MS;

/** The age at which a running ledger counts as behind: nodes do not answer, or refuse. */
export const LEDGER_BEHIND_MS = 900_000;

/** Currencies of the router, and holders of the token, that one comparison asks about. */
export const COMPARED_CURRENCIES = 50;
export const COMPARED_HOLDERS = 20;

/** Currencies of revenue that are named and shown. */
export const SHOWN_CURRENCIES = 20;

/** Rows of one export: what a spreadsheet opens, and an answer holds. */
export const EXPORT_ROWS_MAX = 10_000;

/** Limits how often the public figures are computed; their ages are computed for each request. */
export const ECONOMICS_FRESH_MS = 1_000;

/** Traders that are kept of a season, those whose wallet is known, and those that are shown. */
export const STANDINGS_KEPT = 1_000;
export const STANDINGS_NAMED = 100;
export const STANDINGS_SHOWN = 10;
export const LEAGUE_EVERY_MS = 300_000;
export const LEAGUE_TIMEOUT_MS = 120_000;

const { SANDBOX, TRADING_HOME_CHAIN } = coreConfig.shape;

/** Takes an address in any case, and answers it in small letters. */
export const address = z
	.string()
	.transform((text) => text.toLowerCase())
	.refine(isAddress, "an address is 0x and 40 hex digits");

/** Parses the address of one of the token's contracts. The zero address is refused as a mistake. */
const contract = (what: string) =>
	address
		.refine((text) => !/^0x0{40}$/.test(text), "the address of only zeros is no contract")
		.optional()
		.meta({ expects: "an address: 0x and 40 hex digits" })
		.describe(what);

/** Variables of the environment that name the contracts of the token. */
export const tokenomicsConfig = {
	// The runtime's own: the contracts are on the home chain.
	SANDBOX,
	TRADING_HOME_CHAIN,
	TOKEN_ADDRESS: contract(
		"The token's contract on the home chain. Unset, and without a manifest: the token is not " +
			"launched, and the other contracts do not count.",
	),
	REVENUE_ROUTER_ADDRESS: contract(
		"The contract that splits revenue. A manifest that operators set counts instead of all three.",
	),
	BUYBACK_BURN_ADDRESS: contract(
		"The contract that buys the token and burns it (the burner) in one call.",
	),
	TOKEN_FROM_BLOCK: z
		.int()
		.min(0)
		.max(BLOCK_NUMBER_MAX)
		.default(0)
		.describe(
			"The block from which the contracts' events are read: the one that the oldest is in.",
		),
	TOKEN_FINAL_DEPTH_BLOCKS: z
		.int()
		.min(0)
		.max(100_000)
		.default(FINAL_DEPTH_DEFAULT)
		.describe("Blocks on top of an event of the contracts after which it is in the ledger."),
};

export type TokenomicsConfig = z.output<z.ZodObject<typeof tokenomicsConfig>>;
