import { z } from "zod";
import { BLOCK_NUMBER_MAX, isAddress } from "#core/chain/Hex.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { FINAL_DEPTH_DEFAULT } from "#plugins/tokenomics/limits.ts";

const { SANDBOX, TRADING_HOME_CHAIN } = coreConfig.shape;

/** Takes an address in any case, and answers it in small letters. */
export const address = z
	.string()
	.transform((text) => text.toLowerCase())
	.refine(isAddress, "an address is 0x and 40 hex digits");

/** Takes one of the token's contracts. The address of nobody is a mistake, not a contract. */
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
