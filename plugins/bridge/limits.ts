import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#core/time.ts";

export const AMOUNT_LENGTH_MAX = 160;
export const NAME_LENGTH_MAX = 64;
export const ADDRESS_LENGTH_MAX = 100;
export const COMMAND_LENGTH_MAX = 500;
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;
/** Open bridges of one profile. */
export const OPEN_BRIDGES_MAX = 50;

/** A quote is used until so long before its order ends: the deposit must be in a block by then. */
export const QUOTE_MARGIN_MS = 15 * SECOND_MS;
/** An order that ends later than that is no quote. */
export const QUOTE_LIFETIME_MAX_MS = 7 * DAY_MS;
/** Of what is expected, at least so much must be guaranteed. */
export const MINIMUM_SHARE_BPS = 9_500n;
/** Of the worth of what is given, so much may be lost on the way, where feeds know both. */
export const VALUE_LOSS_BPS_MAX = 1_000n;
/** By the provider's own word, in percent. */
export const IMPACT_PERCENT_MIN = -10;

/** What taking a bridge further may take of the time that its owner waits for the answer. */
export const ADVANCE_TIMEOUT_MS = 25_000;
/** The connection stays open for longer than that. */
export const ANSWER_IDLE_SECONDS = 60;

/** How old the provider's list of chains may be. */
export const CHAINS_FRESH_MS = 30 * SECOND_MS;
/** Where it cannot be had, an older one is used for reading, and never for quotes. */
export const CHAINS_STALE_MS = 10 * MINUTE_MS;
export const CURRENCIES_FRESH_MS = 5 * MINUTE_MS;
export const CURRENCIES_KEPT_MAX = 1_000;

/** How long a hash that a wallet told may take to be shown by our node. */
export const STEP_SEEN_WAIT_MS = 1_500;
export const STEP_SEEN_EVERY_MS = 250;
/** A deposit that nobody told us of is looked for so often, while its owner may sign it. */
export const SEEK_EVERY_MS = 10 * SECOND_MS;

export const TURN_EVERY_MS = 1_000;
/** Bridges of one turn; those left over are first in the next. */
export const TURN_BRIDGES_MAX = 200;
export const LOOKS_AT_ONCE_MAX = 8;
/** Since the deposit, and how far apart the looks are then. The budget may put them further. */
export const LOOK_DELAYS: readonly (readonly [untilMs: number, delayMs: number])[] = [
	[MINUTE_MS, 2 * SECOND_MS],
	[10 * MINUTE_MS, 10 * SECOND_MS],
	[HOUR_MS, MINUTE_MS],
	[Number.POSITIVE_INFINITY, 5 * MINUTE_MS],
];
export const TIMED_OUT_EVERY_MS = HOUR_MS;
/** The provider's `failure` is shown after that, and believed after a day. */
export const FAILURE_GRACE_MS = 5 * MINUTE_MS;
export const FAILURE_OPEN_MS = DAY_MS;
export const TIMED_OUT_OPEN_MS = DAY_MS;
/** A chain that cannot be read is asked again for so long before a word stands for itself. */
export const UNREADABLE_MS = 2 * MINUTE_MS;
/** A deposit that the provider does not see is pointed out to it so often. */
export const HINT_AFTER_MS = 20 * SECOND_MS;
export const HINT_EVERY_MS = 2 * MINUTE_MS;
/** A crash between recording and quoting: who waits longer is taken up by a job. */
export const TAKE_UP_AFTER_MS = 30 * SECOND_MS;

/** An arrival this deep does not leave its chain again. */
export const ARRIVAL_DEPTH_BLOCKS = 64;
/** An arrival is looked at for so long, and by its age so far apart. */
export const ARRIVAL_WATCH_MS = 30 * MINUTE_MS;
export const ARRIVAL_LOOKS: readonly (readonly [untilMs: number, delayMs: number])[] = [
	[MINUTE_MS, 15 * SECOND_MS],
	[ARRIVAL_WATCH_MS, 2 * MINUTE_MS],
];
/** It is taken back once two answers so far apart do not have it. */
export const ARRIVAL_GONE_AFTER_MS = 5 * SECOND_MS;

export const WEBHOOK_BYTES_MAX = 65_536;
export const WEBHOOK_TOLERANCE_MS = 5 * MINUTE_MS;
export const DELIVERIES_REMEMBERED_MAX = 10_000;
export const WAKES_PER_SECOND_MAX = 50;
/** Whatever is told of one bridge, it is looked at so often. */
export const WAKES_PER_REQUEST_MAX = 20;
export const WAKES_PER_REQUEST_WINDOW_SECONDS = 60;

/** Bodies of nodes that are not this deployment's own. */
export const FOREIGN_RPC_BYTES_MAX = 1_048_576;
export const FOREIGN_RPC_TIMEOUT_MS = 8_000;
export const BALANCES_CURRENCIES_MAX = 20;
