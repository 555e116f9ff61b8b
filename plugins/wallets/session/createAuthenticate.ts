// Says who speaks in a request, once for all hooks that want to know.

import type { Queryable } from "#core/db/Database.ts";
import { httpFault } from "#core/http/faults.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { isDeploymentName } from "#plugins/wallets/profile/changeSettings.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { readCredential, type Sessions } from "#plugins/wallets/session/createSessions.ts";
import type { Principal } from "#plugins/wallets/Wallets.ts";

export type Authenticate = (request: Request, options?: { isUse: boolean }) => Promise<Principal>;

/** Returns the caller of a request, authenticated once however many hooks need it. */
export type SignedIn = (context: { request: Request }) => Promise<Principal>;

const NO_PROFILE =
	"Enrol first: you have no profile yet. POST /v1/trading/enrollment with the same header makes " +
	"one.";

/**
 * Returns what says who speaks: by a session of ours, or by the wallet provider's access token.
 * Everything else is the same 401, whether the token is wrong, old, revoked or missing.
 */
export function createAuthenticate(options: {
	db: Queryable;
	sessions: Sessions;
	custody: Custody;
}): Authenticate {
	const { db, sessions, custody } = options;
	return async (request, { isUse } = { isUse: true }) => {
		const credential = readCredential(request, sessions.cookie);
		if (credential.kind === "session") {
			const session = await sessions.find(credential, { request, isUse });
			if (!session) throw httpFault.unauthorized();
			const { profile, id: sessionId, signedInAtMs } = session;
			return { profile, sessionId, signedInAtMs };
		}
		if (credential.kind === "none" || !custody.isOn) throw httpFault.unauthorized();
		const { userId, signedInAtMs } = await readHolder(custody, credential.token);
		const profile = await readProfile(db, { providerUserId: userId });
		if (!profile) throw httpFault.unauthorized({ public: NO_PROFILE });
		return { profile, sessionId: null, signedInAtMs };
	};
}

/**
 * Makes the hook that authenticates before anything else: used as both `parse` and `transform`, so
 * that without a session a caller learns nothing about the form of a body.
 */
export function createSignedIn({ authenticate }: { authenticate: Authenticate }): SignedIn {
	const asked = new WeakMap<Request, Promise<Principal>>();
	return ({ request }) => {
		const principal = asked.get(request) ?? authenticate(request);
		asked.set(request, principal);
		return principal;
	};
}

/**
 * Returns who holds an access token of the wallet provider's. They signed in when it was issued, as
 * far as we know: a stolen one must not become a fresh sign-in by being sent to us. Nobody holds
 * one that names an account of the deployment's.
 */
export async function readHolder(
	custody: Custody,
	token: string,
): Promise<{ userId: string; signedInAtMs: number }> {
	const { userId, issuedAtMs } = await custody.verifyAccessToken(token);
	if (isDeploymentName(userId)) {
		throw httpFault.unauthorized({ detail: "access token: it names the deployment's account" });
	}
	return { userId, signedInAtMs: issuedAtMs };
}
