// Serves X's webhook: its challenge and its deliveries.

import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { canFail, takesSigned } from "#core/http/routeMarks.ts";
import { socialFault } from "#plugins/social/faults.ts";
import type { Receive } from "#plugins/social/inbox/Inbox.ts";
import { isSigned, missing, SIGNATURE_HEADER, signatureOf } from "#plugins/social/x/callX.ts";
import { readActivity, type Unread } from "#plugins/social/x/readActivity.ts";

type WebhookOptions = {
	/** Null: no delivery can be verified, and none is accepted. */
	secret: string | null;
	receive: Receive;
};

const SIGNATURE_EXAMPLE = "sha256=g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

/**
 * Matches tokens that are no JSON document. Any caller may have a token signed, by the secret that
 * signs deliveries too: a token that is a JSON document could be sent back as a delivery that names
 * any author.
 */
const NO_DELIVERY = /^[^{}[\]]*$/;

const querySchema = z.object({
	crc_token: z
		.string()
		.min(1)
		.max(500)
		.regex(NO_DELIVERY, "must have neither braces nor brackets")
		.meta({ description: "What X wants to have signed.", examples: ["f0c1d2"] }),
	nonce: z
		.string()
		.max(500)
		.optional()
		.meta({
			description: "X may add it; it is not part of what is signed.",
			examples: ["b1c2"],
		}),
});
const challengeSchema = z
	.object({
		response_token: field.text("`sha256=` and base64 of the signature.", SIGNATURE_EXAMPLE),
	})
	.meta({ id: "SocialChallenge", description: "Proves to X that the secret is known here." });
const takenSchema = z
	.object({ received: field.integer("How much of the delivery was new.", 1) })
	.meta({ id: "SocialDelivery", description: "What a delivery brought." });
const headersSchema = z.object({
	[SIGNATURE_HEADER]: field.text("`sha256=` and base64 of the signature.", SIGNATURE_EXAMPLE),
});
const eventSchema = z
	.looseObject({
		data: z
			.looseObject({ event_type: field.text("What happened.", "post.mention.create") })
			.meta({ id: "SocialActivityData", description: "Of X's activity." })
			.optional(),
		for_user_id: field.text("Of X's older account activity.", "2244994945").optional(),
	})
	.meta({ id: "SocialActivity", description: "Activity of X, in either of its two shapes." });

const channel = {
	name: "socialWebhook",
	title: "X's webhooks",
	description: "What X posts of mentions of the bot and of messages to it.",
	headers: headersSchema,
	receives: {
		socialActivity: { summary: "Somebody wrote to the bot.", schema: eventSchema },
	},
};

/**
 * Returns the webhook: X's challenge, and its deliveries. A delivery is proved by the signature of
 * its exact bytes. X signs no time, so old deliveries are recognised by the ids in them.
 */
export function webhookRoutes({ secret, receive }: WebhookOptions) {
	const known = (): string => {
		if (secret === null) throw missing(["SOCIAL_WEBHOOK_SECRET"]);
		return secret;
	};
	return new Elysia({ prefix: "/v1/social" })
		.get(
			"/webhook",
			({ query, set }) => {
				set.headers["cache-control"] = "no-store";
				return { response_token: signatureOf(known(), query.crc_token) };
			},
			{
				query: querySchema,
				response: { 200: challengeSchema },
				detail: {
					tags: ["social"],
					security: [],
					operationId: "answerSocialChallenge",
					summary: "Answers X's challenge",
					description: "Signs `crc_token` with SOCIAL_WEBHOOK_SECRET, or SOCIAL_API_SECRET.",
					...canFail(socialFault.credentialMissing),
				},
			},
		)
		.use(
			takesSigned({
				path: "/webhook",
				receive: async ({ headers, body }) => {
					if (!isSigned(known(), body, headers.get(SIGNATURE_HEADER))) {
						throw socialFault.webhookSignature();
					}
					let unread = 0;
					const written = writtenOf(body, () => {
						unread += 1;
					});
					return { received: await receive(written, unread) };
				},
				answer: takenSchema,
				channel,
				faults: [
					socialFault.credentialMissing,
					socialFault.webhookSignature,
					socialFault.webhookEvent,
					socialFault.unavailable,
					socialFault.limited,
					socialFault.refused,
					socialFault.tokenRefused,
				],
				about: {
					operationId: "receiveSocialActivity",
					tag: "social",
					summary: "Takes a delivery of X",
					description:
						"Signed with SOCIAL_WEBHOOK_SECRET, or SOCIAL_API_SECRET. Each mention and message in it " +
						"is stored once by its id and answered at most once. Activity of other kinds is answered " +
						"200 and changes nothing.",
				},
			}),
		);
}

function writtenOf(bytes: Uint8Array, unread: Unread) {
	let json: unknown;
	try {
		json = JSON.parse(new TextDecoder().decode(bytes));
	} catch {
		throw socialFault.webhookEvent();
	}
	if (typeof json !== "object" || json === null) throw socialFault.webhookEvent();
	return readActivity(json, unread);
}
