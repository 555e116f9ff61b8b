import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#core/time/units.ts";

/** Events that one delivery, or one page of polling, may bring; the rest of it is left out. */
export const EVENTS_PER_DELIVERY_MAX = 200;
/** Of a text that is kept: the grammar reads no longer one. */
export const TEXT_CHARS_MAX = 2_100;

/** What was written longer ago is neither done nor answered. */
export const EVENT_AGE_MAX_MS = 10 * MINUTE_MS;
/** How far X's clock may be ahead of ours. */
export const EVENT_AHEAD_MAX_MS = 5 * MINUTE_MS;
/** How long a reply may wait to be sent. */
export const REPLY_AGE_MAX_MS = 30 * MINUTE_MS;
/** Links live that long, and what holds one. */
export const PRIVATE_AGE_MAX_MS = 10 * MINUTE_MS;

/** How long work on an event may take before another process takes it over. */
export const THINKING_MS = 45 * SECOND_MS;
/** When an event is tried again whose first request is still running. */
export const RUNNING_RETRY_MS = 2 * SECOND_MS;
/** Beginnings of work on one event: what ends the process each time is given up. */
export const THINKING_ATTEMPTS_MAX = 10;
/** Events that a process works on at once, and replies that it sends at once. */
export const EVENTS_AT_ONCE = 16;
export const REPLIES_AT_ONCE = 16;
/** How long the loop waits where nobody rings. */
export const IDLE_MS = SECOND_MS;
/** Events of one author that are answered in an hour. */
export const EVENTS_PER_AUTHOR_HOUR_MAX = 60;
/** Commands without a profile that are kept of one author in a day. */
export const UNLINKED_PER_AUTHOR_DAY_MAX = 20;

/** A call of ours to X. */
export const X_TIMEOUT_MS = 10 * SECOND_MS;
/** Longer than a call may take: what is still being sent then was left by a process that died. */
export const SENDING_MS = 30 * SECOND_MS;
/** Of an answer of X. */
export const X_ANSWER_BYTES_MAX = 2_097_152;
/** Where X says nothing of how long it wants to be left alone. */
export const X_PAUSE_MS = 60 * SECOND_MS;
export const X_PAUSE_MAX_MS = DAY_MS;
/** When a reply is looked for whose sending is uncertain. */
export const LOOKS_AFTER_MS = [2, 15, 60, 300].map((seconds) => seconds * SECOND_MS);
/** Of a page of posts or messages that is looked through. */
export const LOOK_PAGE_MAX = 100;

/** Access tokens are renewed this long before they end. */
export const TOKEN_MARGIN_MS = 5 * MINUTE_MS;

/** Posts in a page of polling; X sends no more. */
export const POLL_PAGE_MAX = 100;

/** How long rows are kept. */
export const EVENTS_KEPT_MS = 30 * DAY_MS;
export const UNLINKED_KEPT_MS = 90 * DAY_MS;
export const CONTACTS_KEPT_MS = 365 * DAY_MS;
export const RADAR_KEPT_MS = 365 * DAY_MS;
export const READ_MONTHS_KEPT_MS = 400 * DAY_MS;
export const PRUNE_EVERY_MS = HOUR_MS;
/** Rows that one statement takes away. */
export const PRUNE_ROWS_MAX = 10_000;
