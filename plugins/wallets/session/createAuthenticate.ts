import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Principal } from "#plugins/wallets/contract.ts";
import type { Custody } from "#plugins/wallets/custody/Custody.ts";
import { readToken } from "#plugins/wallets/custody/token/readToken.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";
import type { Sessions } from "#plugins/wallets/session/createSessions.ts";
import { readCredential } from "#plugins/wallets/session/readCredential.ts";

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

/**
 * When the holder of an access token proved who they are, as far as we know: when the wallet
 * provider issued it. One that was verified, and is no JWT, says nothing and counts as issued now.
 *
 * Without `iat` a JWT is as old as can be: a stolen one must not become a fresh sign-in by being
 * sent to us.
 */
export function signedInByToken(token: string, clock: Clock): number {
	const nowMs = clock.nowMs();
	const claims = readToken(token)?.claims;
	if (!claims) return nowMs;
	return Math.max(0, Math.min(nowMs, Math.floor((claims.iat ?? 0) * 1_000)));
}
