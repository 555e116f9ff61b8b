import type { z } from "zod";
import type { Profile } from "#plugins/wallets/contract.ts";
import { renderProfile } from "#plugins/wallets/profile/renderProfile.ts";
import type { signedInSchema } from "#plugins/wallets/routes/signedInSchema.ts";
import type { OpenedSession } from "#plugins/wallets/session/createSessions.ts";

export function renderSignedIn(signedIn: {
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
