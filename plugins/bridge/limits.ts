// Declares the limits of bridging: sizes, times and delays.

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#core/time.ts";

export const AMOUNT_LENGTH_MAX = 160;
export const NAME_LENGTH_MAX = 64;
export const ADDRESS_LENGTH_MAX = 100;
export const COMMAND_LENGTH_MAX = 500;
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;
/** The most open bridges of one profile. */
export const OPEN_BRIDGES_MAX = 50;

/**
 * Refuses to use a quote later than this before its order ends: the deposit needs a block by then.
 */
export const QUOTE_MARGIN_MS = 15 * SECOND_MS;
/** A quote whose order ends later than this is refused. */
export const QUOTE_LIFETIME_MAX_MS = 7 * DAY_MS;
/** The least share of the expected amount that a quote must guarantee, in basis points. */
export const MINIMUM_SHARE_BPS = 9_500n;
/**
 * Limits the share of the value that may be lost on the way, in basis points, where both prices are
 * known.
 */
export const VALUE_LOSS_BPS_MAX = 1_000n;
/** The worst price impact that a quote may name, in percent, by the provider's own figure. */
export const IMPACT_PERCENT_MIN = -10;

/** How long a request may spend on taking a bridge further, while its owner waits. */
export const ADVANCE_TIMEOUT_MS = 25_000;
/** How long the connection stays open: longer than `ADVANCE_TIMEOUT_MS`. */
export const ANSWER_IDLE_SECONDS = 60;

/** How old the provider's list of chains may be. */
export const CHAINS_FRESH_MS = 30 * SECOND_MS;
/** The age up to which an old list is used for reading, never for quotes, if none can be had. */
export const CHAINS_STALE_MS = 10 * MINUTE_MS;
export const CURRENCIES_FRESH_MS = 5 * MINUTE_MS;
export const CURRENCIES_KEPT_MAX = 1_000;

/** Limits the wait until our node shows a hash that a wallet reported. */
export const STEP_SEEN_WAIT_MS = 1_500;
export const STEP_SEEN_EVERY_MS = 250;
/** The interval of looking for an unreported deposit, while its owner may sign it. */
export const SEEK_EVERY_MS = 10 * SECOND_MS;

export const TURN_EVERY_MS = 1_000;
/** The most bridges of one turn; those left over come first in the next. */
export const TURN_BRIDGES_MAX = 200;
export const LOOKS_AT_ONCE_MAX = 8;
/**
 * Lists the delay between lookups of a bridge, by the time since its deposit. The budget may make
 * it longer.
 */
export const LOOK_DELAYS: readonly (readonly [untilMs: number, delayMs: number])[] = [
	[MINUTE_MS, 2 * SECOND_MS],
	[10 * MINUTE_MS, 10 * SECOND_MS],
	[HOUR_MS, MINUTE_MS],
	[Number.POSITIVE_INFINITY, 5 * MINUTE_MS],
];
/** The interval of looking for a late deposit: hourly for a day, then daily, then no more. */
export const LATE_EVERY_MS = HOUR_MS;
const LATE_OPEN_MS = DAY_MS;
const DAILY_EVERY_MS = DAY_MS;
const DAILY_OPEN_MS = 60 * DAY_MS;
/**
 * The delay until the provider's `failure` is shown, and how long the bridge is then looked up
 * often.
 */
export const FAILURE_GRACE_MS = 5 * MINUTE_MS;
export const FAILURE_OPEN_MS = DAY_MS;
/** Limits how long a token's logs are searched for the transaction that used a signature. */
export const UNREADABLE_MS = 2 * MINUTE_MS;
/** Alerts an operator if the provider has claimed an end for this long that no chain shows. */
export const UNPROVEN_ALARM_MS = 2 * MINUTE_MS;
/** How far the clocks of two chains may be apart, in seconds. */
export const CHAIN_CLOCKS_APART_S = 60n;
/** The least share of what was paid in that is a refund, in basis points: fees may be taken off. */
export const REFUND_SHARE_BPS = 2_500n;
/** The delay until the rest of a chain's blocks is searched, where one lookup did not finish. */
export const SEARCH_AGAIN_MS = 10 * SECOND_MS;
/** The delay until a bridge without an answer is asked about again: doubled each time. */
export const UNANSWERED_MS = 10 * SECOND_MS;
export const UNANSWERED_MAX_MS = 5 * MINUTE_MS;
/** The number of lookups in a row without an answer after which an operator is alerted. */
export const UNANSWERED_ALARM = 8;
/**
 * The number of such lookups, of different bridges, after which a turn ends: the provider is away.
 */
export const SILENT_LOOKS_MAX = 16;
/** Limits the time of one lookup in a turn: a slow one must not delay the others. */
export const LOOK_TIMEOUT_MS = 15 * SECOND_MS;
/** The delay and the interval of reporting a deposit to the provider that it does not see. */
export const HINT_AFTER_MS = 20 * SECOND_MS;
export const HINT_EVERY_MS = 2 * MINUTE_MS;
/** A job takes up a bridge that waits longer than this: its process died before quoting. */
export const TAKE_UP_AFTER_MS = 30 * SECOND_MS;

/** The depth at which an arrival counts as final. */
export const ARRIVAL_DEPTH_BLOCKS = 64;
/** Limits how long an arrival is looked up after it was found, and lists the delays by its age. */
export const ARRIVAL_WATCH_MS = 30 * MINUTE_MS;
export const ARRIVAL_LOOKS: readonly (readonly [untilMs: number, delayMs: number])[] = [
	[MINUTE_MS, 15 * SECOND_MS],
	[ARRIVAL_WATCH_MS, 2 * MINUTE_MS],
];
/** The least time between two answers without an arrival, until it counts as lost. */
export const ARRIVAL_GONE_AFTER_MS = 5 * SECOND_MS;

export const WEBHOOK_BYTES_MAX = 65_536;
export const WEBHOOK_TOLERANCE_MS = 5 * MINUTE_MS;
export const DELIVERIES_REMEMBERED_MAX = 10_000;
export const WAKES_PER_SECOND_MAX = 50;
/** Limits the lookups of one bridge that webhooks may cause in the window. */
export const WAKES_PER_REQUEST_MAX = 20;
export const WAKES_PER_REQUEST_WINDOW_SECONDS = 60;

/** Limits of answers from nodes that are not this deployment's own. */
export const FOREIGN_RPC_BYTES_MAX = 1_048_576;
export const FOREIGN_RPC_TIMEOUT_MS = 8_000;
export const BALANCES_CURRENCIES_MAX = 20;

/** Returns the delay until a late deposit is looked for again, by its lateness; null: no more. */
export function lateMs(sinceMs: number): number | null {
	if (sinceMs <= LATE_OPEN_MS) return LATE_EVERY_MS;
	return sinceMs <= LATE_OPEN_MS + DAILY_OPEN_MS ? DAILY_EVERY_MS : null;
}
