import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";

/** What a sign-in answers, beside the cookie. */
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
