// Serves operators' routes about the connection to X, what was read of it, and unlinked commands.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { CURSOR_PART, createCursor, pageQuery, pageSchema } from "#core/http/pages.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { forecastOf, type ReadBudget } from "#plugins/social/budgets.ts";
import { socialFault } from "#plugins/social/faults.ts";
import type { SocialConfig } from "#plugins/social/limits.ts";
import { listUnlinked } from "#plugins/social/sql/replies.ts";
import { webhookSecretOf } from "#plugins/social/x/callX.ts";
import type { X } from "#plugins/social/x/createX.ts";
import { readUsage, subscribe } from "#plugins/social/x/say.ts";

type AdminOptions = {
	core: Pick<Core, "db" | "clock" | "audit" | "operators">;
	config: SocialConfig;
	x: X;
	reads: ReadBudget;
};

type UsageOptions = Pick<AdminOptions, "config" | "x" | "reads">;

const connectionSchema = z
	.object({
		authenticatedAccount: z
			.object({
				id: field.text("X's id of it.", "2244994945"),
				username: field.text("Its user name.", "tapeline"),
			})
			.meta({ id: "SocialBot", description: "The account whose credentials are set." }),
		matchesConfiguredBot: field.flag("Whether its name is SOCIAL_BOT_USERNAME."),
		webhookIdConfigured: field.flag("Whether SOCIAL_WEBHOOK_ID is set."),
		webhooksEnabled: field.flag("Whether deliveries can be verified, so that they are taken."),
		readsForecast: field.text(
			"When the month's reads of X end, at the rate of today and yesterday.",
			"At this rate the budget ends on 2026-03-29.",
		),
	})
	.meta({ id: "SocialConnection", description: "As whom the bot speaks to X." });
const subscribedSchema = z
	.object({
		subscribed: field.flag("True: the webhook gets what is written to the bot."),
		alreadySubscribed: field.flag("Whether it did before."),
		interface: z.enum(["activity", "account_activity"]).meta({
			description: "Of which of X's interfaces.",
		}),
	})
	.meta({ id: "SocialSubscription", description: "What subscribing came to." });

const usageSchema = z
	.object({
		month: field.text("The calendar month in UTC.", "2026-03"),
		reads: field.integer("Posts, messages and accounts read, by all processes together.", 312),
		readsMax: field.integer("SOCIAL_MONTHLY_READS_MAX.", 10_000),
		endsAt: field
			.time("When nothing is left, at the rate of today and yesterday.")
			.nullable()
			.meta({ description: "When nothing is left at this rate; null: not in this month." }),
		remaining: field.integer("What is left of it.", 9_688),
		pollingEnabled: field.flag("Whether ENABLE_POLLING_FALLBACK is on."),
		x: z
			.object({
				posts: field.integer("Posts that X counts.", 312).nullable(),
				postsMax: field.integer("The most that X allows.", 3_000_000).nullable(),
				resetsOnDay: field.integer("Day of the month.", 14).nullable(),
			})
			.meta({ id: "SocialUsageOfX", description: "What X counts of the month." })
			.nullable()
			.meta({ description: "X's own count; null where it could not be read." }),
	})
	.meta({ id: "SocialUsage", description: "The month's reads of X." });

const unlinkedSchema = z
	.object({
		data: z
			.array(
				z
					.object({
						eventId: field.text("What was written.", "post:1993400000000000000"),
						authorId: field.text("X's id of who wrote it.", "2244994945"),
						command: field.text("As it was understood.", "send 1 eth to 0x…"),
						reason: field.text("Why nothing was recorded to be done.", "no_profile"),
						at: field.time("When it was read."),
					})
					.meta({ id: "UnlinkedTrade", description: "A command of somebody without a profile." }),
			)
			.meta({ description: "Newest first." }),
		page: pageSchema,
	})
	.meta({ id: "UnlinkedTradePage", description: "Commands of authors who are not linked." });

const PAGE = 50;
const PAGE_MAX = 200;
const listQuery = z.object(pageQuery({ default: PAGE, max: PAGE_MAX }));
const cursors = createCursor("unlinked1", [CURSOR_PART.millis, CURSOR_PART.text]).of({});

const about = { tags: ["admin"], security: [{ admin: [] }] };
const failures = canFail(
	socialFault.credentialMissing,
	socialFault.tokenRefused,
	socialFault.unavailable,
	socialFault.refused,
	socialFault.limited,
);

/** Returns the operators' routes: state of the social channel, and subscribing the webhook. */
export function adminRoutes({ core, config, x, reads }: AdminOptions) {
	const { db, clock, audit, operators } = core;
	return (
		new Elysia({ prefix: "/v1/admin/social" })
			// Authenticated before validation: without a key a caller learns nothing else.
			.derive(({ request, set }) => {
				set.headers["cache-control"] = "no-store";
				return { operator: operators.authenticate(request) };
			})
			.get("/connection", () => connection({ config, x, reads }), {
				response: { 200: connectionSchema },
				detail: {
					...about,
					operationId: "getSocialConnection",
					summary: "Says as whom the bot speaks",
					description: "Asks X whose credentials are set. 503 names the one that is missing.",
					...failures,
				},
			})
			.post(
				"/webhook/subscribe",
				async ({ operator }) => {
					const made = await subscribe(x, config, () => clock.nowMs());
					await db.transaction((tx) =>
						audit.append(tx, {
							actor: `operator:${operator.actor}`,
							action: "social.webhook.subscribed",
							subject: `webhook:${config.SOCIAL_WEBHOOK_ID ?? ""}`,
							detail: made,
						}),
					);
					return { subscribed: true, ...made };
				},
				{
					response: { 200: subscribedSchema },
					detail: {
						...about,
						operationId: "updateSocialSubscription",
						summary: "Subscribes the webhook",
						description:
							"Has X deliver mentions and messages to SOCIAL_WEBHOOK_ID. May be repeated: " +
							"`alreadySubscribed` is a success. The header `x-admin-actor` names who did it.",
						...canFail(
							socialFault.subscriptionMissing,
							socialFault.credentialMissing,
							socialFault.tokenRefused,
							socialFault.unavailable,
							socialFault.refused,
							socialFault.limited,
						),
					},
				},
			)
			.use(usageRoute({ config, x, reads }))
			.use(unlinkedRoute(db))
	);
}

async function connection({ config, x, reads }: UsageOptions) {
	const account = await x.me();
	const wanted = config.SOCIAL_BOT_USERNAME?.toLowerCase();
	return {
		authenticatedAccount: account,
		matchesConfiguredBot: account.username.toLowerCase() === wanted,
		webhookIdConfigured: config.SOCIAL_WEBHOOK_ID !== undefined,
		webhooksEnabled: webhookSecretOf(config) !== null,
		readsForecast: forecastOf(await reads.state()),
	};
}

/** Returns the route that says what was read of X; its parent authenticates the operator. */
function usageRoute(options: UsageOptions) {
	return new Elysia().get("/usage", () => usage(options), {
		response: { 200: usageSchema },
		detail: {
			...about,
			operationId: "getSocialUsage",
			summary: "Says what was read of X",
			description: "The month's reads of this deployment, and X's own count where it tells.",
		},
	});
}

async function usage({ config, x, reads }: UsageOptions) {
	const { endsAt, ...state } = await reads.state();
	return {
		...state,
		endsAt: endsAt?.toISOString() ?? null,
		remaining: Math.max(0, state.readsMax - state.reads),
		pollingEnabled: config.ENABLE_POLLING_FALLBACK,
		x: await readUsage(x).catch((error) => {
			// Our own count is shown even if X fails.
			if (error instanceof Fault) return null;
			throw error;
		}),
	};
}

/** Returns the route of unlinked commands; its parent authenticates the operator. */
function unlinkedRoute(db: Queryable) {
	return new Elysia().get(
		"/unlinked-trades",
		async ({ query: { limit, cursor } }) => {
			const rows = await listUnlinked(db, { limit: limit + 1, after: placeOf(cursor) });
			const data = rows.slice(0, limit).map((row) => ({ ...row, at: row.at.toISOString() }));
			const last = rows.length > limit ? rows[limit - 1] : undefined;
			const nextCursor = last
				? cursors.encode([String(last.at.getTime()), Buffer.from(last.eventId).toString("hex")])
				: null;
			return { data, page: { nextCursor, hasMore: nextCursor !== null } };
		},
		{
			query: listQuery,
			response: { 200: unlinkedSchema },
			detail: {
				...about,
				operationId: "listUnlinkedTrades",
				summary: "Lists commands of authors without a profile",
				description:
					"What somebody wanted to be done whose account no profile is linked to. Kept for 90 " +
					"days; nothing was done, and nothing will be.",
			},
		},
	);
}

function placeOf(cursor: string | undefined): { at: Date; eventId: string } | null {
	if (cursor === undefined) return null;
	const [ms = "0", id = ""] = cursors.decode(cursor);
	return { at: new Date(Number(ms)), eventId: Buffer.from(id, "hex").toString("utf8") };
}
