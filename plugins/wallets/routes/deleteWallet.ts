import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import { unlink } from "#plugins/wallets/profile/unlink.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

/** Takes a wallet from the profile. Somebody else's is not there. */
export function deleteWallet(context: IdentityContext) {
	const { db, clock, audit, authenticate, sessions } = context;
	return new Elysia().delete(
		"/profile/wallets/:id",
		async ({ request, params, set }) => {
			const { profile, sessionId } = await authenticate(request);
			const unlinked = await db.transaction(async (tx) => {
				const one = { profileId: profile.id, audit, nowMs: clock.nowMs() };
				const after = await unlink.wallet(tx, params.id, one);
				await sessions.endOthers(tx, profile.id, sessionId);
				return after;
			});
			set.headers["cache-control"] = "no-store";
			return renderProfile(unlinked);
		},
		{
			params: z.object({
				id: z.string().meta({
					description: "The wallet's id in your profile.",
					examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
				}),
			}),
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
