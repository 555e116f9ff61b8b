import type { Audit } from "#core/audit/Audit.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Principal, Profile } from "#plugins/wallets/contract.ts";
import type { Custody } from "#plugins/wallets/custody/Custody.ts";
import { enrol } from "#plugins/wallets/enrolment/enrol.ts";
import { readEnrolledUser } from "#plugins/wallets/enrolment/readEnrolledUser.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";
import type { OpenedSession, Sessions } from "#plugins/wallets/session/createSessions.ts";
import { readCredential } from "#plugins/wallets/session/readCredential.ts";
import { signedInByToken } from "#plugins/wallets/session/signedInByToken.ts";

export type EnrolmentOptions = {
	db: Database;
	clock: Clock;
	audit: Audit;
	custody: Custody;
	sessions: Sessions;
	newId: () => string;
	homeChainId: number;
};

export type Enrolment = ReturnType<typeof createEnrolment>;

/** Signing in with the wallet provider's access token, which also brings a profile up to date. */
export function createEnrolment(options: EnrolmentOptions) {
	const { db, clock, custody, sessions } = options;
	const context = (relink: boolean) => ({ ...options, nowMs: clock.nowMs(), relink });
	const bearerOf = (request: Request) => {
		const credential = readCredential(request, sessions.cookie);
		return credential.kind === "access" ? credential.token : undefined;
	};
	const enrolHolder = async (token: string): Promise<Profile> => {
		const user = await readEnrolledUser(custody, token);
		return db.transaction((tx) => enrol(tx, user, context(false)));
	};

	return {
		async signIn(
			request: Request,
			sent: { accessToken?: string | undefined; relink: boolean },
		): Promise<{ session: OpenedSession; profile: Profile }> {
			const token = sent.accessToken ?? bearerOf(request);
			if (token === undefined) throw httpFault.unauthorized();
			// Asked before anything is locked: the wallet provider may take its time.
			const user = await readEnrolledUser(custody, token);
			const signedInAtMs = signedInByToken(token, clock);
			return db.transaction(async (tx) => {
				const profile = await enrol(tx, user, context(sent.relink));
				const session = await sessions.open(tx, profile.id, request, { signedInAtMs });
				return { session, profile };
			});
		},

		/**
		 * Who holds the access token of a request; their profile is made where there is none yet. Null
		 * where the request carries no such token.
		 */
		async principalOf(request: Request): Promise<Principal | null> {
			const token = bearerOf(request);
			if (token === undefined || !custody.isOn) return null;
			const { userId } = await custody.verifyAccessToken(token);
			const known = await readProfile(db, { providerUserId: userId });
			const profile = known ?? (await enrolHolder(token));
			return { profile, sessionId: null, signedInAtMs: signedInByToken(token, clock) };
		},
	};
}
