import { z } from "zod";
import { commaList } from "#core/config/commaList.ts";

/** What a kind may take to say what would be sent. */
export const PREPARE_TIMEOUT_MS = 20_000;

/** Far above every order we fill. */
export const CALLDATA_BYTES_MAX = 65_536;

/** Intents of one call; a wallet transfer has as many recipients. */
export const BATCH_MAX = 50;

/** Plans of a batch made at once. */
export const PREPARES_AT_ONCE = 4;

/** An intent that was not sent by then is not sent any more. */
export const INTENT_LIFETIME_MS = 120_000;

/** A question to its owner, and the link it was asked with, stand as long. */
export const QUESTION_LIFETIME_MS = 600_000;

/** A plan that an operator has to look at waits as long. */
export const REVIEW_LIFETIME_MS = 86_400_000;

/** Between taking a nonce and handing over: later than that it is not handed over at all. */
export const HAND_OVER_WITHIN_MS = 5_000;

/** Where its simulation reverts: the account has code, and what reverts uses its nonce as well. */
export const GAS_WHERE_IT_REVERTS = 200_000n;

const usd = (fallback: number) => z.number().min(0).max(1_000_000_000).default(fallback);
const isAddress = (text: string): text is `0x${string}` => /^0x[0-9a-f]{40}$/.test(text);

/** What an operator sets about the path that money leaves by. */
export const executionConfig = {
	TRADING_DRY_RUN: z
		.boolean()
		.default(true)
		.describe("Judge and record intents, and send nothing. Off in the sandbox."),
	TRADING_PER_TRADE_USD_MAX: usd(5_000).describe("The most one intent may spend, in USD."),
	TRADING_WALLET_NOTIONAL_USD_MAX: usd(10_000).describe(
		"The most one intent may move out of one wallet, in USD, where the wallet has no limit.",
	),
	TRADING_DAILY_USD_MAX: usd(20_000).describe("The most a profile may spend in 24 hours, in USD."),
	TRADING_SOCIAL_USD_MAX: usd(500).describe(
		"The most that may be spent by social posts and messages, a trade and a day, in USD.",
	),
	TRADING_NETWORK_FEE_USD_MAX: usd(200).describe(
		"The most one transaction may offer the network for gas, in USD, whatever the node asks for.",
	),
	TRADING_RECIPIENT_COOLDOWN_MINUTES: z
		.int()
		.min(0)
		.max(43_200)
		.default(0)
		.describe("How long a recipient must be known before money goes there by itself; 0: no wait."),
	TRADING_DESTINATIONS: commaList(z.string().toLowerCase().refine(isAddress))
		.default([])
		.meta({ expects: "addresses, separated by commas" })
		.describe("The only addresses that may be called or paid, separated by commas. Unset: all."),
	TRADING_INTENTS_BURST_MAX: z
		.int()
		.min(50)
		.max(1_000_000)
		.default(600)
		.describe("How many intents a profile may ask for at once, after it asked for none."),
	TRADING_INTENTS_PER_MINUTE_MAX: z
		.number()
		.positive()
		.max(1_000_000)
		.default(120)
		.describe("How many intents a profile may ask for in the long run: all are kept for ever."),
	TRADING_REFUSED_INTENT_COST: z
		.int()
		.min(0)
		.max(1_000)
		.default(5)
		.describe("As how many more intents one counts that is refused: it costs its owner nothing."),
	TRADING_FINAL_DEPTH_BLOCKS: z
		.int()
		.min(1)
		.max(10_000)
		.default(64)
		.describe("Blocks on top of a transaction after which nobody looks at it again."),
	TRADING_SLOW_AFTER_SECONDS: z
		.int()
		.min(10)
		.max(86_400)
		.default(120)
		.describe(
			"For how long a transaction may wait for its block before operators are shown it, in seconds; " +
				"20 blocks at least on chains that are slower.",
		),
};
