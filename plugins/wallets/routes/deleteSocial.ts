import { Elysia } from "elysia";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import { unlink } from "#plugins/wallets/profile/unlink.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

/** Takes the social account from the profile: nothing typed there acts for it any more. */
export function deleteSocial(context: IdentityContext) {
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
