import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";
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
