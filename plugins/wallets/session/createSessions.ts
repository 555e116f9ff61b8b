import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import {
	SESSION_AGE_MAX_MS,
	SESSION_IDLE_MS,
	SESSION_SLIDE_EVERY_MS,
	SESSIONS_PER_PROFILE_MAX,
} from "#plugins/wallets/limits.ts";
import { readCredential } from "#plugins/wallets/session/readCredential.ts";
import { createSessionCookie } from "#plugins/wallets/session/sessionCookie.ts";
import { sessionToken } from "#plugins/wallets/session/sessionToken.ts";
import { findSession } from "#plugins/wallets/session/sql/findSession.ts";
import { insertSession } from "#plugins/wallets/session/sql/insertSession.ts";
import { revokeSessions } from "#plugins/wallets/session/sql/revokeSessions.ts";
import { slideSession } from "#plugins/wallets/session/sql/slideSession.ts";

export type SessionOptions = {
	db: Database;
	clock: Clock;
	randomBytes: (count: number) => Uint8Array;
	newId: () => string;
	/** Keys the stored hashes; undefined: plain SHA-256. */
	secret: string | undefined;
	/** Whether browsers reach us over TLS. */
	secure: boolean;
};

export type OpenedSession = { token: string; expiresAtMs: number };

export type Sessions = ReturnType<typeof createSessions>;

/** Who is signed in, and until when. A token is in the answer that opened it and nowhere else. */
export function createSessions(options: SessionOptions) {
	const { db, clock, randomBytes, newId, secret, secure } = options;
	const cookie = createSessionCookie({ secure });
	const now = () => new Date(clock.nowMs());

	/** Ends every session that the request carries, in its header and in its cookie. */
	async function end(tx: Tx, request: Request): Promise<void> {
		const sent = readCredential(request, cookie);
		const tokens = new Set([sent.kind === "session" ? sent.token : null, cookie.read(request)]);
		for (const token of tokens) {
			if (token === null || !sessionToken.isOne(token)) continue;
			await revokeSessions.byToken(tx, sessionToken.hash(token, secret), now());
		}
	}

	return {
		cookie,
		end,

		/**
		 * A new token at each sign-in; whatever session the request came with ends (fixation).
		 *
		 * @param options.signedInAtMs when they proved who they are, where that was not just now.
		 */
		async open(
			tx: Tx,
			profileId: string,
			request: Request,
			options: { signedInAtMs?: number } = {},
		): Promise<OpenedSession> {
			await end(tx, request);
			const token = sessionToken.create(randomBytes);
			const expiresAtMs = clock.nowMs() + SESSION_IDLE_MS;
			const session = {
				id: newId(),
				tokenHash: sessionToken.hash(token, secret),
				profileId,
				now: now(),
				expiresAt: new Date(expiresAtMs),
				signedInAt: options.signedInAtMs === undefined ? null : new Date(options.signedInAtMs),
			};
			await insertSession(tx, session, SESSIONS_PER_PROFILE_MAX);
			return { token, expiresAtMs };
		},

		/** After a change of what a profile is made of, whoever else is signed in signs in anew. */
		endOthers(tx: Tx, profileId: string, exceptId: string | null): Promise<void> {
			return revokeSessions.othersOf(tx, { profileId, exceptId, now: now() });
		},

		/** The open session of a token, and whose it is. It lasts longer for being used. */
		async find(
			{ token, from }: { token: string; from: "header" | "cookie" },
			request: Request,
		): Promise<{ id: string; profile: Profile; signedInAtMs: number } | null> {
			const at = now();
			const found = await findSession(db, sessionToken.hash(token, secret), at);
			if (!found) return null;
			if (at.getTime() - found.seenAt.getTime() >= SESSION_SLIDE_EVERY_MS) {
				const lasting = { idleMs: SESSION_IDLE_MS, ageMaxMs: SESSION_AGE_MAX_MS };
				await slideSession(db, { id: found.id, now: at, ...lasting });
				// The browser's copy slides with it.
				if (from === "cookie") {
					requestContexts.get(request)?.headers.set("set-cookie", cookie.set(token));
				}
			}
			return { id: found.id, profile: found.profile, signedInAtMs: found.signedInAt.getTime() };
		},
	};
}
