import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";
import { renderSignedIn } from "#plugins/wallets/routes/renderSignedIn.ts";

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
