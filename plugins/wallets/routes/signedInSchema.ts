import { z } from "zod";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";

/** What a sign-in answers, beside the cookie. */
export const signedInSchema = z.object({
	token: z.string().meta({
		description: "The session, for `Authorization: Bearer`. A browser has it as a cookie already.",
	}),
	expiresAt: z.string().meta({ format: "date-time", description: "If it is not used until then." }),
	profile: profileSchema,
});
