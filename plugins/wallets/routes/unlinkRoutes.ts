import { Elysia } from "elysia";
import { z } from "zod";
import type { Tx } from "#core/db/Database.ts";
import { canFail } from "#core/http/canFail.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import { type UnlinkContext, unlink } from "#plugins/wallets/profile/unlink.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

const walletParams = z.object({
	id: z.string().meta({
		description: "The wallet's id in your profile.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});

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
