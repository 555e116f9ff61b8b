import { Elysia } from "elysia";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

/** Whoever is signed in. */
export function getProfile({ authenticate }: IdentityContext) {
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
