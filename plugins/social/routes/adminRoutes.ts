// Serves operators' routes about the connection to X, and joins those of the other files.

import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { forecastOf, type ReadBudget } from "#plugins/social/budgets.ts";
import { socialFault } from "#plugins/social/faults.ts";
import type { SocialConfig } from "#plugins/social/limits.ts";
import { unlinkedRoute } from "#plugins/social/routes/unlinkedRoute.ts";
import { usageRoute } from "#plugins/social/routes/usageRoute.ts";
import { webhookSecretOf } from "#plugins/social/x/callX.ts";
import type { X } from "#plugins/social/x/createX.ts";
import { subscribe } from "#plugins/social/x/say.ts";

type AdminOptions = {
	core: Pick<Core, "db" | "clock" | "audit" | "operators">;
	config: SocialConfig;
	x: X;
	reads: ReadBudget;
};

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

async function connection({ config, x, reads }: Pick<AdminOptions, "config" | "x" | "reads">) {
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
