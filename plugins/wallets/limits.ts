// Holds the limits of sign-in, profiles and intents, and the operator's settings of the path by
// which money leaves.

import { z } from "zod";
import { isAddress } from "#core/chain/Hex.ts";
import { commaList } from "#core/config/fields.ts";

/**
 * Limits the length of a sign-in message, and of a signature (ERC-6492 carries a factory's
 * calldata).
 */
export const SIWE_MESSAGE_LENGTH_MAX = 8_192;
export const SIWE_RESOURCES_MAX = 50;
export const SIGNATURE_BYTES_MAX = 16_384;

/** Letters and digits of a nonce: 24 of 62 are 142 bits. */
export const NONCE_LENGTH = 24;
/** Limits how long a nonce can be used, and so the age of a sign-in message, in milliseconds. */
export const NONCE_TTL_MS = 600_000;

/** Limits how far the clock of a wallet may be ahead of ours. */
export const CLOCK_SKEW_MS = 60_000;
/** Limits the time for which a sign-in message may claim to be valid. */
export const SIWE_LIFETIME_MAX_MS = 7 * 86_400_000;

/** Limits gas and time of the call that asks a contract whether a signature is its own. */
export const SIGNATURE_CALL_GAS_MAX = 5_000_000n;
export const SIGNATURE_CALL_TIMEOUT_MS = 5_000;

/** Ends a session that was not used for this long, and any session at its age limit. */
export const SESSION_IDLE_MS = 7 * 86_400_000;
export const SESSION_AGE_MAX_MS = 90 * 86_400_000;
/** Limits how often the use of a session is written: not each request is worth a write. */
export const SESSION_SLIDE_EVERY_MS = 600_000;
/** Limits the age of the sign-in by which an owner may weaken their own safeguard. */
export const SAFEGUARD_SIGN_IN_MAX_MS = 600_000;
/** Random bytes of a session's token. */
export const SESSION_TOKEN_BYTES = 32;
/** Limits the open sessions of a profile; one more ends the one that was unused longest. */
export const SESSIONS_PER_PROFILE_MAX = 50;
/** Limits the bearer token and the Cookie header that are read, in characters. */
export const BEARER_LENGTH_MAX = 4_096;
export const COOKIE_HEADER_LENGTH_MAX = 16_384;

/** How often expired sessions and nonces are deleted, and how many rows at a time. */
export const SIGN_IN_PRUNE_EVERY_MS = 60_000;
export const SIGN_IN_PRUNE_TIMEOUT_MS = 20_000;
export const SIGN_IN_PRUNE_ROWS_MAX = 10_000;

/** Limits the wallets that are linked to a profile at once. */
export const WALLETS_PER_PROFILE_MAX = 50;

/**
 * Limits the time of asking the wallet provider who a user is, and the wallets asked for at once.
 */
export const ENROLMENT_TIMEOUT_MS = 15_000;
export const ENROLMENT_CALLS_AT_ONCE_MAX = 4;

/** Digits of a USD figure that a person sets: microdollars in an int8. */
export const USD_DECIMALS = 6;
export const USD_MICROS_MAX = 9_000_000_000_000_000n;

/** Limits the time in which a kind returns what would be sent. */
export const PREPARE_TIMEOUT_MS = 20_000;

/** Far above every order we fill. */
export const CALLDATA_BYTES_MAX = 65_536;

/** Intents of one call; a wallet transfer has as many recipients. */
export const BATCH_MAX = 50;

/** Plans of a batch made at once. */
export const PREPARES_AT_ONCE = 4;

/** An intent that was not sent by then is not sent any more. */
export const INTENT_LIFETIME_MS = 120_000;

/** The lifetime of a question to the owner, and of its link. */
export const QUESTION_LIFETIME_MS = 600_000;

/** The time that a plan waits for an operator's review. */
export const REVIEW_LIFETIME_MS = 86_400_000;

/** Between taking a nonce and handing over: later than that it is not handed over at all. */
export const HAND_OVER_WITHIN_MS = 5_000;

/**
 * The gas of a transaction whose simulation reverts: the account has code, and a revert uses its
 * nonce as well.
 */
export const GAS_WHERE_IT_REVERTS = 200_000n;

const usd = (fallback: number) => z.number().min(0).max(1_000_000_000).default(fallback);

/** Declares an operator's settings of the path by which money leaves. */
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
	RESTORED: z
		.boolean()
		.default(false)
		.describe(
			"Set it for the first start on a backup that was put back: what wallets sent since an hour " +
				"before its last sign of life is read before they spend again. Without it, since that.",
		),
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
