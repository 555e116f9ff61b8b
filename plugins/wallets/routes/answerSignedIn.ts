import type { z } from "zod";
import type { Profile } from "#plugins/wallets/contract.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";
import type { signedInSchema } from "#plugins/wallets/routes/signedInSchema.ts";
import type { OpenedSession } from "#plugins/wallets/session/createSessions.ts";

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
