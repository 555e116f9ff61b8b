import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Principal } from "#plugins/wallets/contract.ts";
import type { Custody } from "#plugins/wallets/custody/Custody.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";
import type { Sessions } from "#plugins/wallets/session/createSessions.ts";
import { readCredential } from "#plugins/wallets/session/readCredential.ts";
import { signedInByToken } from "#plugins/wallets/session/signedInByToken.ts";

export type Authenticate = (request: Request) => Promise<Principal>;

/**
 * Who speaks: by a session of ours, or by the wallet provider's access token. Everything else is
 * the same 401, whether the token is wrong, old, revoked or missing.
 */
export function createAuthenticate(options: {
	db: Queryable;
	clock: Clock;
	sessions: Sessions;
	custody: Custody;
}): Authenticate {
	const { db, clock, sessions, custody } = options;
	return async (request) => {
		const credential = readCredential(request, sessions.cookie);
		if (credential.kind === "session") {
			const session = await sessions.find(credential, request);
			if (!session) throw httpFault.unauthorized();
			const { profile, id: sessionId, signedInAtMs } = session;
			return { profile, sessionId, signedInAtMs };
		}
		if (credential.kind === "none" || !custody.isOn) throw httpFault.unauthorized();
		const { userId } = await custody.verifyAccessToken(credential.token);
		const profile = await readProfile(db, { providerUserId: userId });
		if (!profile) throw httpFault.unauthorized({ public: "Enrol first: you have no profile yet." });
		return { profile, sessionId: null, signedInAtMs: signedInByToken(credential.token, clock) };
	};
}
