import { Elysia } from "elysia";
import { z } from "zod";
import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import { canFail } from "#core/http/canFail.ts";
import type { Principal } from "#plugins/wallets/contract.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import {
	SAFEGUARD_SIGN_IN_MAX_MS,
	USD_MICROS_MAX,
	WALLETS_PER_PROFILE_MAX,
} from "#plugins/wallets/limits.ts";
import { changeSettings } from "#plugins/wallets/profile/changeSettings.ts";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import { usdText } from "#plugins/wallets/profile/usdText.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

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

function isRecent({ signedInAtMs }: Principal, clock: Clock): boolean {
	return signedInAtMs !== undefined && clock.nowMs() - signedInAtMs <= SAFEGUARD_SIGN_IN_MAX_MS;
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
