import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Elysia } from "elysia";
import { z } from "zod";
import { AgentKey, MAX_REPLY_LENGTH } from "#agent/contract.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { commaList } from "#core/config/fields.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import { createSteps } from "#core/steps.ts";
import { adminRoutes } from "#plugins/social/adminRoutes.ts";
import { createInbox, type SocialStep } from "#plugins/social/inbox/createInbox.ts";
import { pruneJob, radarJobs } from "#plugins/social/jobs.ts";
import { pollJobs } from "#plugins/social/pollJobs.ts";
import { createReadBudget } from "#plugins/social/readBudget.ts";
import { webhookRoutes } from "#plugins/social/webhookRoutes.ts";
import { hasOAuth1, hasOAuth2, webhookSecretOf } from "#plugins/social/x/callX.ts";
import { createX } from "#plugins/social/x/createX.ts";
import { createSeal } from "#plugins/social/x/userTokens.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

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

/** Runs the agent on X: mentions and direct messages, each answered at most once. */
export const socialPlugin = definePlugin({
	name: "social",
	version: "1",
	config: socialConfig,
	needs: { agent: AgentKey, wallets: WalletsKey },
	tables: { schema: "social", folder: join(import.meta.dir, "migrations") },
	setup({ config, core, needs: { agent, wallets }, collected }) {
		const ending = new AbortController();
		const x = createX({ core, config, ending: ending.signal, randomBytes });
		const reads = createReadBudget(core, config.SOCIAL_MONTHLY_READS_MAX);
		const tools = new Map<string, AnyTool>();
		const secret = config.SESSION_SECRET;
		const inbox = createInbox(
			{
				...{ core, config, agent, wallets, x, ending: ending.signal },
				steps: createSteps<SocialStep>(core.observeSteps),
				seal: secret === undefined ? null : createSeal(secret, "replies"),
				toolOf: (name) => tools.get(name) ?? null,
			},
			reads,
		);
		const speaks = hasOAuth1(config) || hasOAuth2(config);
		const listens = webhookSecretOf(config) !== null;
		const polls = speaks && config.ENABLE_POLLING_FALLBACK;
		const { receive } = inbox;
		return {
			routes: new Elysia()
				.use(webhookRoutes({ secret: webhookSecretOf(config), receive }))
				.use(adminRoutes({ core, config, x, reads })),
			jobs: [
				...(polls ? pollJobs({ core, config, x, reads, receive }) : []),
				...radarJobs({ core, config, agent, x }),
				pruneJob(core),
			],
			start() {
				for (const tool of collected().tools) tools.set(tool.name, tool);
				// Without a credential of X nothing can arrive, and the database is not queried.
				if (speaks || listens) inbox.start();
			},
			async stop() {
				ending.abort();
				await inbox.ended();
			},
		};
	},
});
