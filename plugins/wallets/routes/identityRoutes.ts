import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";
import { postEnrollment } from "#plugins/wallets/routes/postEnrollment.ts";
import { postProfile } from "#plugins/wallets/routes/postProfile.ts";
import { postSiweVerify } from "#plugins/wallets/routes/postSiweVerify.ts";
import { settingsSchema } from "#plugins/wallets/routes/settingsSchema.ts";
import { unlinkRoutes } from "#plugins/wallets/routes/unlinkRoutes.ts";

const challengeSchema = z
	.object({
		nonce: field.text("Good for one try.", "k3Vq8sPz1LmN4tYb"),
		expiresAt: field.time("Until when it is good."),
		domain: field
			.text("For the message's first line; null where no page may sign in here.", "app.example.com")
			.nullable(),
		uri: field.url("The message's URI.", "https://app.example.com").nullable(),
		version: z.literal("1").meta({ description: "The message's version." }),
		chainId: field.integer("The message's chain, by its EIP-155 id.", 4663),
	})
	.meta({ id: "SiweChallenge", description: "What a sign-in message (ERC-4361) has to say." });

/** Answers who somebody is here, and lets them become it. */
export function identityRoutes(context: IdentityContext) {
	return new Elysia({ prefix: "/v1/trading" })
		.use(getSettings(context))
		.use(getProfile(context))
		.use(postProfile(context))
		.use(unlinkRoutes(context))
		.use(postEnrollment(context))
		.use(postSiweNonce(context))
		.use(postSiweVerify(context))
		.use(deleteSession(context));
}

/** Answers what a page must know before anybody is signed in. */
function getSettings({ settings }: IdentityContext) {
	return new Elysia().get("/settings", () => settings, {
		response: { 200: settingsSchema },
		detail: {
			operationId: "getTradingSettings",
			tags: ["trading"],
			summary: "Reads how this deployment trades",
			description: "Open to everybody. The limits are the most that any profile may set.",
		},
	});
}

/** Answers who is signed in. */
function getProfile({ authenticate }: IdentityContext) {
	return new Elysia().get(
		"/profile",
		async ({ request, set }) => {
			const { profile } = await authenticate(request);
			set.headers["cache-control"] = "no-store";
			return renderProfile(profile);
		},
		{
			response: { 200: profileSchema },
			detail: {
				operationId: "getProfile",
				tags: ["trading"],
				summary: "Reads your profile",
				description: "Who is signed in, with linked wallets and limits.",
				security: [{ session: [] }],
			},
		},
	);
}

/** Signs out. Without a session, or done twice, it answers the same. */
function deleteSession({ db, sessions }: IdentityContext) {
	return new Elysia().delete(
		"/session",
		async ({ request, set }) => {
			await db.transaction((tx) => sessions.end(tx, request));
			set.headers["cache-control"] = "no-store";
			set.headers["set-cookie"] = sessions.cookie.clear();
			set.status = 204;
		},
		{
			detail: {
				operationId: "signOut",
				tags: ["trading"],
				summary: "Signs out",
				description:
					"Ends the session for good, wherever its token was copied to. An access token of the " +
					"wallet provider cannot be ended here: it ends by itself within the hour.",
				security: [{ session: [] }],
				responses: { 204: { description: "Signed out." } },
			},
		},
	);
}

/** Begins signing in with a wallet. */
function postSiweNonce({ siwe }: IdentityContext) {
	return new Elysia().post(
		"/siwe/nonce",
		async ({ request, set }) => {
			set.headers["cache-control"] = "no-store";
			return siwe.challenge(request);
		},
		{
			response: { 200: challengeSchema },
			detail: {
				operationId: "createSiweNonce",
				tags: ["trading"],
				summary: "Asks for a nonce to sign in with",
				description:
					"Good for ten minutes and one try. Without a body. The other members are what the " +
					"message (ERC-4361) has to say.",
			},
		},
	);
}
