// Serves sign-in, sign-out and the caller's profile.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canBeReadByAnyPage, canFail } from "#core/http/routeMarks.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import {
	BEARER_LENGTH_MAX,
	SIGNATURE_BYTES_MAX,
	SIWE_MESSAGE_LENGTH_MAX,
} from "#plugins/wallets/limits.ts";
import type { Profile } from "#plugins/wallets/model.ts";
import { profileSchema, renderProfile } from "#plugins/wallets/profile/profile.ts";
import {
	type IdentityContext,
	postProfile,
	settingsSchema,
	unlinkRoutes,
} from "#plugins/wallets/routes/profileRoutes.ts";
import type { OpenedSession } from "#plugins/wallets/session/createSessions.ts";

/** Describes what a sign-in answers, beside the cookie. */
export const signedInSchema = z
	.object({
		token: field.text(
			"The session, for `Authorization: Bearer`. A browser has it as a cookie already.",
			"ses_Yk3Vq8sPz1LmN4tYb7RfHcWx2DgJ5uKa",
		),
		expiresAt: field.time("When it ends if it is not used until then."),
		profile: profileSchema,
	})
	.meta({ id: "SignedIn", description: "A session, and whose it is." });

const enrollmentSchema = z
	.object({
		accessToken: z
			.string()
			.min(1)
			.max(BEARER_LENGTH_MAX)
			.optional()
			.meta({
				description: "The wallet provider's, where it is not the bearer token.",
				examples: ["eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"],
			}),
		relink: z.boolean().default(false).meta({ description: "Links again what was unlinked here." }),
	})
	.meta({ id: "EnrollmentRequest", description: "How to sign in." })
	.optional();

const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/;

const siweSchema = z
	.object({
		message: z
			.string()
			.min(1)
			.max(SIWE_MESSAGE_LENGTH_MAX)
			.meta({
				description: "The message exactly as it was signed.",
				examples: ["app.example.com wants you to sign in with your Ethereum account:\n0x…"],
			}),
		signature: z
			.string()
			.max(2 + 2 * SIGNATURE_BYTES_MAX)
			.refine((text): text is Hex => SIGNATURE.test(text), "must be bytes in hex, with 0x")
			.meta({
				pattern: SIGNATURE.source,
				description: "The signature in hex.",
				examples: [`0x${"5d".repeat(65)}`],
			}),
		link: z
			.boolean()
			.default(false)
			.meta({ description: "Adds the wallet to the profile that is signed in." }),
	})
	.meta({ id: "SiweProof", description: "A signed sign-in message." });

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

/** Returns the routes of profiles: who is signed in, and linking wallets and accounts. */
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

/** Signs in with the wallet provider's access token. */
export function postEnrollment({ enrolment, sessions }: IdentityContext) {
	return new Elysia().post(
		"/enrollment",
		async ({ request, body, set }) => {
			const signedIn = await enrolment.signIn(request, body ?? { relink: false });
			return answerSignedIn({ sessions }, set.headers, signedIn);
		},
		{
			body: enrollmentSchema,
			response: { 200: signedInSchema },
			detail: {
				operationId: "enroll",
				tags: ["trading"],
				summary: "Signs in with the wallet provider's access token",
				description:
					"Makes the profile, or brings it up to date with the accounts that the wallet provider " +
					"proved: the social account, and each wallet with what may be done with it. What was " +
					"unlinked here stays so unless `relink` is set.",
				security: [{ session: [] }],
				...canFail(
					walletsFault.socialLinkedElsewhere,
					walletsFault.socialAmbiguous,
					walletsFault.walletLinkedElsewhere,
					walletsFault.walletsTooMany,
				),
			},
		},
	);
}

/** Ends signing in with a wallet: the signed message opens a session. */
export function postSiweVerify({ siwe, sessions }: IdentityContext) {
	return new Elysia().post(
		"/siwe/verify",
		async ({ request, body, set }) => {
			const signedIn = await siwe.verify(request, body);
			return answerSignedIn({ sessions }, set.headers, signedIn);
		},
		{
			body: siweSchema,
			response: { 200: signedInSchema },
			detail: {
				operationId: "verifySiwe",
				tags: ["trading"],
				summary: "Signs in with a wallet",
				description:
					"Takes the message exactly as it was signed. Signatures of keys, of contracts (ERC-1271) " +
					"and of contracts that are not deployed yet (ERC-6492). A wallet that nobody has makes a " +
					"new profile. Whatever session the request came with ends.",
				...canFail(
					walletsFault.siweDomain,
					walletsFault.siweUri,
					walletsFault.siweChain,
					walletsFault.siweExpired,
					walletsFault.siweNotYetValid,
					walletsFault.siweLifetime,
					walletsFault.siweNonce,
					walletsFault.siweSignature,
					walletsFault.deploymentOwn,
					walletsFault.walletLinkedElsewhere,
					walletsFault.walletsTooMany,
					walletsFault.siweMessageInvalid,
					walletsFault.chainUnavailable,
				),
			},
		},
	);
}

/** Sets the session's cookie and returns what a sign-in answers; no cache may keep it. */
export function answerSignedIn(
	{ sessions }: Pick<IdentityContext, "sessions">,
	headers: Record<string, string | number>,
	signedIn: Parameters<typeof renderSignedIn>[0],
): ReturnType<typeof renderSignedIn> {
	headers["cache-control"] = "no-store";
	headers["set-cookie"] = sessions.cookie.set(signedIn.session.token);
	return renderSignedIn(signedIn);
}

/** Answers what a page must know before anybody is signed in. */
function getSettings({ settings }: IdentityContext) {
	return new Elysia().get("/settings", () => settings, {
		response: { 200: settingsSchema },
		detail: {
			...canBeReadByAnyPage(),
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

function renderSignedIn(signedIn: {
	session: OpenedSession;
	profile: Profile;
}): z.input<typeof signedInSchema> {
	const { token, expiresAtMs } = signedIn.session;
	return {
		token,
		expiresAt: new Date(expiresAtMs).toISOString(),
		profile: renderProfile(signedIn.profile),
	};
}
