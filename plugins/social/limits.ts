// Limits the social channel, and declares its environment variables.

import { z } from "zod";
import { MAX_REPLY_LENGTH } from "#agent/contract.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { commaList } from "#core/config/fields.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#core/time.ts";

/** The most events of one delivery: more do not fit into the 256 KiB that are read of one. */
export const EVENTS_PER_DELIVERY_MAX = 4_000;
/** The longest text that is stored, in characters; the grammar reads no longer one. */
export const TEXT_CHARS_MAX = 2_100;

/** The most events whose ids a process remembers as stored. */
export const KNOWN_EVENTS_MAX = 10_000;
/** Leaves older texts alone: they are neither executed nor answered. */
export const EVENT_AGE_MAX_MS = 10 * MINUTE_MS;
/** Limits how far X's clock may be ahead of ours. */
export const EVENT_AHEAD_MAX_MS = 5 * MINUTE_MS;
/** Limits how long a reply may wait to be sent. */
export const REPLY_AGE_MAX_MS = 30 * MINUTE_MS;
/** The lifetime of links, and of replies that hold one. */
export const PRIVATE_AGE_MAX_MS = 10 * MINUTE_MS;

/** Limits the time of work on an event before another process takes it over. */
export const THINKING_MS = 45 * SECOND_MS;
/** The delay before an event is tried again while its first request still runs. */
export const RUNNING_RETRY_MS = 2 * SECOND_MS;
/** The most tries of one event: an event that ends the process each time is given up. */
export const THINKING_ATTEMPTS_MAX = 10;
/** Events that a process works on at once, and replies that it sends at once. */
export const EVENTS_AT_ONCE = 16;
export const REPLIES_AT_ONCE = 16;
/** Limits the sleep of the loop when nothing wakes it. */
export const IDLE_MS = SECOND_MS;
/** The most events of one author that are answered in an hour. */
export const EVENTS_PER_AUTHOR_HOUR_MAX = 60;
/** The most commands of one author without a profile that are stored per day. */
export const UNLINKED_PER_AUTHOR_DAY_MAX = 20;

/** The time limit for a call to X. */
export const X_TIMEOUT_MS = 10 * SECOND_MS;
/**
 * Limits the time of sending: a reply that is `sending` for longer was left by a process that died.
 */
export const SENDING_MS = 30 * SECOND_MS;
/** The largest answer of X, in bytes. */
export const X_ANSWER_BYTES_MAX = 2_097_152;
/** The pause after a rate limit that names no time. */
export const X_PAUSE_MS = 60 * SECOND_MS;
export const X_PAUSE_MAX_MS = DAY_MS;
/** Says how long X is not called after it asked for payment: an operator may pay at any time. */
export const X_UNPAID_PAUSE_MS = 5 * MINUTE_MS;
/** The first and the longest pause after X gave no new token: each is twice the one before. */
export const TOKEN_PAUSE_MS = 30 * SECOND_MS;
export const TOKEN_PAUSE_MAX_MS = 15 * MINUTE_MS;
/** How long one process alone may ask for a token: longer than its call of X can take. */
export const TOKEN_LEASE_MS = 30 * SECOND_MS;
/** Limits the checks for a token that another process requests, within the time limit of a call. */
export const TOKEN_LOOKS_MAX = 50;
/** Says after how many refusals of X in a row operators are alerted. */
export const REFUSED_STREAK_MIN = 3;
/** Says after how long without any text to the bot operators are alerted. */
export const SILENCE_MAX_MS = DAY_MS;
/** Says how long after sending an uncertain reply is looked for. */
export const LOOKS_AFTER_MS = [2, 15, 60, 300].map((seconds) => seconds * SECOND_MS);
/** Limits the posts or messages in one page when an uncertain reply is looked for on X. */
export const LOOK_PAGE_MAX = 100;

/** The windows in which X limits posts and messages, and its limits where it does not say them. */
export const WINDOW_MS = 15 * MINUTE_MS;
export const SENDS_PER_WINDOW = { post: 100, dm: 15 } as const;
/** Reserves this part of a window for links and money. */
export const URGENT_SHARE = 1 / 3;
/** Limits the part of a window that one author's other answers may use. */
export const AUTHOR_SHARE = 1 / 5;
/** Limits the answers in one conversation in an hour, beside those about links and money. */
export const CONVERSATION_REPLIES_MAX = 5;
/** Limits an author's answers in a minute: a program asks for more, and gets none for an hour. */
export const AUTHOR_REPLIES_PER_MINUTE_MAX = 20;
/** Limits how long a post waits to say whether the rest was sent by direct message. */
export const DM_WAIT_MS = 30 * SECOND_MS;

/**
 * The first and the longest wait before an order is read again; in between an eighth of its age.
 */
export const ORDER_LOOK_MS = 3 * SECOND_MS;
export const ORDER_LOOK_MAX_MS = 10 * MINUTE_MS;
export const ORDERS_AT_ONCE = 16;
/**
 * Limits how long the notice of an end may wait: it is rendered anew at sending and has no link,
 * and its author's share of X's window may be used up for now.
 */
export const NOTICE_AGE_MAX_MS = DAY_MS;
/**
 * Limits how long an order is followed: one that has not ended by then is reported in its current
 * state.
 */
export const ORDER_AGE_MAX_MS = 29 * DAY_MS;
/** Limits how long an answer may wait before it is asked for again at sending. */
export const ANSWER_FRESH_MS = 20 * SECOND_MS;

/** Access tokens are renewed this long before they end. */
export const TOKEN_MARGIN_MS = 5 * MINUTE_MS;

/** Posts in a page of polling; X sends no more. */
export const POLL_PAGE_MAX = 100;
/** Posts in the first page of a round: mostly nothing is new. X takes no smaller one. */
export const POLL_FIRST_PAGE = 5;
/** Pages in one round of polling: X lists the newest 800 mentions. */
export const POLL_PAGES_MAX = 8;

/** The age at which rows are deleted. */
export const EVENTS_KEPT_MS = 30 * DAY_MS;
export const UNLINKED_KEPT_MS = 90 * DAY_MS;
export const CONTACTS_KEPT_MS = 365 * DAY_MS;
export const RADAR_KEPT_MS = 365 * DAY_MS;
export const READ_MONTHS_KEPT_MS = 400 * DAY_MS;
export const PRUNE_EVERY_MS = HOUR_MS;
/** The most rows that one statement deletes. */
export const PRUNE_ROWS_MAX = 10_000;

// The runtime's, for links and for sealing secrets; and the agent's.
const { HOST, PORT, PUBLIC_URL, SESSION_SECRET } = coreConfig.shape;

const credential = (what: string) =>
	z
		.string()
		.regex(/^[\x21-\x7e]{1,2000}$/)
		.optional()
		.meta({ secret: true, expects: "a credential without blanks" })
		.describe(what);

const ids = z.string().regex(/^\d{1,20}$/);

/** The social channel's part of the configuration. Every credential may be missing at start-up. */
export const socialConfig = z.object({
	...{ HOST, PORT, PUBLIC_URL, SESSION_SECRET, MAX_REPLY_LENGTH },
	SOCIAL_BASE_URL: z
		.url({ protocol: /^https?$/ })
		.transform((url) => url.replace(/\/+$/, ""))
		.default("https://api.x.com")
		.meta({ expects: "a URL that begins with https:// or http://" })
		.describe("Where X's API is."),
	SOCIAL_BOT_USERNAME: z
		.string()
		.regex(/^@?[A-Za-z0-9_]{1,15}$/)
		.transform((name) => name.replace(/^@/, ""))
		.optional()
		.meta({ expects: "a user name of X, with or without @" })
		.describe("The bot's user name: what a mention has to name. Unset: no mention is answered."),
	SOCIAL_API_KEY: credential("OAuth 1.0a: the app's key."),
	SOCIAL_API_SECRET: credential(
		"OAuth 1.0a: the app's secret. It also signs webhooks where SOCIAL_WEBHOOK_SECRET is unset.",
	),
	SOCIAL_BEARER_TOKEN: credential("The app's own token: webhooks, usage, and reads of the app."),
	SOCIAL_CLIENT_ID: credential("OAuth 2: the app's client id."),
	SOCIAL_CLIENT_SECRET: credential("OAuth 2: the app's client secret."),
	SOCIAL_USER_ACCESS_TOKEN: credential("OAuth 2: the bot account's first access token."),
	SOCIAL_USER_REFRESH_TOKEN: credential(
		"OAuth 2: the bot account's first refresh token. Each is good once; the newest is kept, sealed " +
			"by SESSION_SECRET.",
	),
	SOCIAL_OAUTH1_ACCESS_TOKEN: credential("OAuth 1.0a: the bot account's token."),
	SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET: credential("OAuth 1.0a: the secret of that token."),
	SOCIAL_WEBHOOK_ID: ids
		.optional()
		.meta({ expects: "digits" })
		.describe("X's id of the webhook that leads to /v1/social/webhook."),
	SOCIAL_WEBHOOK_SECRET: credential(
		"What signs deliveries and answers X's challenge. Unset: SOCIAL_API_SECRET does.",
	),
	SOCIAL_IGNORED_USER_IDS: commaList(ids)
		.default([])
		.meta({ expects: "ids of accounts, separated by commas" })
		.describe("Accounts that are never answered, by id: other bots that X does not label."),
	ENABLE_POLLING_FALLBACK: z
		.boolean()
		.default(true)
		.describe("Read mentions and messages by the clock as well, for what no webhook brought."),
	SOCIAL_POLL_SECONDS: z
		.int()
		.min(15)
		.max(3_600)
		.default(60)
		.describe("How often mentions are polled; messages at most every two minutes."),
	SOCIAL_MONTHLY_READS_MAX: z
		.int()
		.min(0)
		.max(3_000_000)
		.default(10_000)
		.describe("Posts and messages that all processes together may read of X in a calendar month."),
	ENABLE_PROACTIVE_POSTS: z
		.boolean()
		.default(false)
		.describe("Whether the bot may post what nobody asked for at all."),
	ENABLE_TREND_POSTS: z
		.boolean()
		.default(false)
		.describe("Post a market radar by the clock. Needs ENABLE_PROACTIVE_POSTS as well."),
	SOCIAL_RADAR_MINUTES: z
		.int()
		.min(30)
		.max(10_080)
		.default(360)
		.describe("How far apart posts of the market radar are."),
});

export type SocialConfig = z.output<typeof socialConfig>;
