// Declares the environment variables of the social channel.

import { z } from "zod";
import { MAX_REPLY_LENGTH } from "#agent/contract.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { commaList } from "#core/config/fields.ts";

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
