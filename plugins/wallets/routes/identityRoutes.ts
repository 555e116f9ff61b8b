import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import { unlink } from "#plugins/wallets/profile/unlink.ts";
import { deleteWallet } from "#plugins/wallets/routes/deleteWallet.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";
import { postEnrollment } from "#plugins/wallets/routes/postEnrollment.ts";
import { postProfile } from "#plugins/wallets/routes/postProfile.ts";
import { postSiweVerify } from "#plugins/wallets/routes/postSiweVerify.ts";
import { settingsSchema } from "#plugins/wallets/routes/settingsSchema.ts";

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

/** Who somebody is here, and how they come to be it. */
export function identityRoutes(context: IdentityContext) {
	return new Elysia({ prefix: "/v1/trading" })
		.use(getSettings(context))
		.use(getProfile(context))
		.use(postProfile(context))
		.use(deleteSocial(context))
		.use(deleteWallet(context))
		.use(postEnrollment(context))
		.use(postSiweNonce(context))
		.use(postSiweVerify(context))
		.use(deleteSession(context));
}

/** What a page must know before anybody is signed in. */
function getSettings({ settings }: IdentityContext) {
	return new Elysia().get("/settings", () => settings(), {
		response: { 200: settingsSchema },
		detail: {
			operationId: "getTradingSettings",
			tags: ["trading"],
			summary: "Reads how this deployment trades",
			description: "Open to everybody. The limits are the most that any profile may set.",
		},
	});
}

/** Whoever is signed in. */
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

/** Signs out. Done twice, or without a session, it is done all the same. */
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

/** Takes the social account from the profile: nothing typed there acts for it any more. */
function deleteSocial(context: IdentityContext) {
	const { db, clock, audit, authenticate, sessions } = context;
	return new Elysia().delete(
		"/profile/social",
		async ({ request, set }) => {
			const { profile, sessionId } = await authenticate(request);
			const unlinked = await db.transaction(async (tx) => {
				const one = { profileId: profile.id, audit, nowMs: clock.nowMs() };
				const after = await unlink.social(tx, one);
				await sessions.endOthers(tx, profile.id, sessionId);
				return after;
			});
			set.headers["cache-control"] = "no-store";
			return renderProfile(unlinked);
		},
		{
			response: { 200: profileSchema },
			detail: {
				operationId: "unlinkSocialAccount",
				tags: ["trading"],
				summary: "Unlinks your social account",
				description:
					"Answers the profile as it then is, also where none was linked. Every other session of " +
					"the profile ends.",
				security: [{ session: [] }],
			},
		},
	);
}

/** The first half of signing in with a wallet. */
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
