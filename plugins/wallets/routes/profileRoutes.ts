// Serves a profile to its owner: made, changed, and unlinked from accounts.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Audit } from "#core/audit/createAudit.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Enrolment } from "#plugins/wallets/enrolment/createEnrolment.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import {
	SAFEGUARD_SIGN_IN_MAX_MS,
	USD_MICROS_MAX,
	WALLETS_PER_PROFILE_MAX,
} from "#plugins/wallets/limits.ts";
import type { Profile } from "#plugins/wallets/model.ts";
import {
	changeSettings,
	type UnlinkContext,
	unlink,
} from "#plugins/wallets/profile/changeSettings.ts";
import {
	profileSchema,
	renderProfile,
	type UserLimits,
	usdText,
} from "#plugins/wallets/profile/profile.ts";
import type { Authenticate } from "#plugins/wallets/session/createAuthenticate.ts";
import type { Sessions } from "#plugins/wallets/session/createSessions.ts";
import type { Siwe } from "#plugins/wallets/siwe/createSiwe.ts";
import type { Principal } from "#plugins/wallets/Wallets.ts";

/** Holds what the routes of profiles need. */
export type IdentityContext = {
	db: Database;
	clock: Clock;
	audit: Audit;
	sessions: Sessions;
	authenticate: Authenticate;
	enrolment: Enrolment;
	siwe: Siwe;
	/** The most that a profile may set. */
	limits: UserLimits;
	settings: PublicSettings;
};

/** Dollars as decimal text, exact, in microdollars; null is the deployment's default. */
const usdParam = z
	.string()
	.max(32)
	.transform((text, context) => {
		const micros = readMicros(text);
		if (typeof micros === "bigint") return micros;
		context.addIssue({ code: "custom", message: micros });
		return z.NEVER;
	})
	.nullable()
	.meta({
		type: ["string", "null"],
		description:
			"A limit in US dollars as decimal text, at most six decimals; null: the deployment's.",
		examples: ["250"],
	});

const walletId = z
	.string()
	.max(64)
	.meta({
		description: "One of your wallets, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	});
const walletSchema = z
	.strictObject({ id: walletId, notionalUsdMax: usdParam })
	.meta({ id: "WalletChange", description: "A wallet, and the most that one intent may move." });

// Strict: a misspelled safety setting that is silently dropped would seem to be on.
const bodySchema = z
	.strictObject({
		requireTradeConfirmation: z
			.boolean()
			.optional()
			.meta({ description: "Whether each intent is to wait for a yes by a one-time link." }),
		perTradeUsdMax: usdParam.optional(),
		dailyUsdMax: usdParam.optional(),
		canonicalWalletId: walletId.optional(),
		wallets: z
			.array(walletSchema)
			.max(WALLETS_PER_PROFILE_MAX)
			.optional()
			.meta({
				examples: [[{ id: "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69", notionalUsdMax: "250" }]],
				description: "Wallets whose limit is to change; the others stay.",
			}),
	})
	.meta({ id: "ProfileChange", description: "What is to change; what is not named stays." })
	.optional();

const usd = (of: string) => field.decimal(`${of}, in US dollars.`, "10000");

const homeChainSchema = z
	.object({
		id: field.integer("EIP-155 id.", 4663),
		slug: field.text("Its name in this API.", "robinhood"),
		name: field.text("Its name for people.", "Robinhood Chain"),
	})
	.meta({ id: "HomeChain", description: "Where wallets are linked." });

const walletProviderSchema = z
	.object({ isOn: field.flag("Whether a wallet provider is configured.") })
	.meta({ id: "WalletProviderState", description: "Who can sign for people." });

/** Describes what everybody may know of how this deployment trades. */
export const settingsSchema = z
	.object({
		homeChain: homeChainSchema,
		signInChainIds: z.array(z.number().meta({ type: "integer" })).meta({
			description: "EIP-155 ids that a sign-in message may carry; the first is asked for.",
			examples: [[4663, 1]],
		}),
		walletProvider: walletProviderSchema,
		dryRun: field.flag("Whether intents stop before anything is sent."),
		perTradeUsdMax: usd("The most that one intent may move"),
		dailyUsdMax: usd("The most that a profile may move in 24 hours"),
		walletNotionalUsdMax: usd("The most that one intent may move out of a wallet"),
		settlementAssets: z.array(z.string()).meta({
			description: "Symbols of what trades are paid in.",
			examples: [["ETH", "WETH", "USDG"]],
		}),
		sessionSeconds: field.integer("A session unused for so many seconds has ended.", 2_592_000),
		nonceSeconds: field.integer("A sign-in nonce is good for so many seconds.", 600),
	})
	.meta({ id: "TradingSettings", description: "How this deployment trades." });

export type PublicSettings = z.input<typeof settingsSchema>;

const walletParams = z.object({
	id: z.string().meta({
		description: "The wallet's id in your profile.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});

/** Makes a profile, or changes how it trades. */
export function postProfile(context: IdentityContext) {
	const { db, clock, authenticate, enrolment } = context;
	return new Elysia().post(
		"/profile",
		async ({ request, body, set }) => {
			const principal = (await enrolment.principalOf(request)) ?? (await authenticate(request));
			const changing = {
				profileId: principal.profile.id,
				mayWeaken: isRecent(principal, clock),
				audit: context.audit,
				limits: context.limits,
			};
			const profile = await db.transaction((tx) => changeSettings(tx, body ?? {}, changing));
			set.headers["cache-control"] = "no-store";
			return renderProfile(profile);
		},
		{
			body: bodySchema,
			response: { 200: profileSchema },
			detail: {
				operationId: "updateProfile",
				tags: ["trading"],
				summary: "Creates your profile or changes its settings",
				description:
					"With the wallet provider's access token it makes the profile where there is none. What " +
					"is not named stays. Limits are at most those of the deployment, see the settings route; " +
					"null takes the deployment's. Turning the confirmation off and raising or dropping a limit " +
					"needs a sign-in within the last ten minutes; with the wallet provider's access token that " +
					"is when it was issued.",
				security: [{ session: [] }],
				...canFail(walletsFault.notFound, walletsFault.signInTooOld),
			},
		},
	);
}

/**
 * Takes the social account, or one wallet, from the profile of who asks: nothing acts for it any
 * more by these. Somebody else's wallet is not there.
 */
export function unlinkRoutes(context: IdentityContext) {
	return new Elysia()
		.delete(
			"/profile/social",
			async ({ request, set }) => {
				const profile = await unlinked(context, request, unlink.social);
				set.headers["cache-control"] = "no-store";
				return renderProfile(profile);
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
		)
		.delete(
			"/profile/wallets/:id",
			async ({ request, params, set }) => {
				const profile = await unlinked(context, request, (tx, of) => {
					return unlink.wallet(tx, params.id, of);
				});
				set.headers["cache-control"] = "no-store";
				return renderProfile(profile);
			},
			{
				params: walletParams,
				response: { 200: profileSchema },
				detail: {
					operationId: "unlinkWallet",
					tags: ["trading"],
					summary: "Unlinks one of your wallets",
					description:
						"Answers the profile as it then is. What the wallet has sent before is still followed to " +
						"its end; nothing new is sent by it. Every other session of the profile ends.",
					security: [{ session: [] }],
					...canFail(walletsFault.notFound),
				},
			},
		);
}

function isRecent({ signedInAtMs }: Principal, clock: Clock): boolean {
	return signedInAtMs !== undefined && clock.nowMs() - signedInAtMs <= SAFEGUARD_SIGN_IN_MAX_MS;
}

/** Takes something from the profile of who asks, and ends its other sessions. */
async function unlinked(
	{ db, clock, audit, authenticate, sessions }: IdentityContext,
	request: Request,
	take: (tx: Tx, of: UnlinkContext) => Promise<Profile>,
): Promise<Profile> {
	const { profile, sessionId } = await authenticate(request);
	return db.transaction(async (tx) => {
		const after = await take(tx, { profileId: profile.id, audit, nowMs: clock.nowMs() });
		await sessions.endOthers(tx, profile.id, sessionId);
		return after;
	});
}

function readMicros(text: string): bigint | string {
	try {
		const micros = usdText.read(text);
		return micros <= USD_MICROS_MAX ? micros : "That is more than anybody has.";
	} catch (error) {
		if (error instanceof Fault) return error.publicDetail;
		throw error;
	}
}
