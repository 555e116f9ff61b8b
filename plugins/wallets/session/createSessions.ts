// Opens, finds and ends sessions, and reads what credential a request has.

import { createHash, createHmac } from "node:crypto";
import type { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import { requestContexts } from "#core/http/requests.ts";
import {
	BEARER_LENGTH_MAX,
	COOKIE_HEADER_LENGTH_MAX,
	SESSION_AGE_MAX_MS,
	SESSION_IDLE_MS,
	SESSION_SLIDE_EVERY_MS,
	SESSION_TOKEN_BYTES,
	SESSIONS_PER_PROFILE_MAX,
} from "#plugins/wallets/limits.ts";
import type { Profile } from "#plugins/wallets/model.ts";
import {
	type ProfileRow,
	profileColumns,
	profileOf,
	walletOrder,
	walletsOfProfile,
} from "#plugins/wallets/profile/sql.ts";

/** Holds the credential by which a request is authenticated. */
export type Credential =
	| { kind: "session"; token: string; from: "header" | "cookie" }
	/** A token that is not ours, so it can only be the wallet provider's. */
	| { kind: "access"; token: string }
	| { kind: "none" };

export type SessionCookie = {
	/** The session's token in a request; null where there is none, and where there are several. */
	read(request: Request): string | null;
	/** The `Set-Cookie` that hands a token over. */
	set(token: string): string;
	/** Returns the header that deletes the cookie. */
	clear(): string;
};

export type SessionOptions = {
	db: Database;
	clock: Clock;
	randomBytes: (count: number) => Uint8Array;
	newId: () => string;
	/** Keys the stored hashes; undefined: plain SHA-256. */
	secret: string | undefined;
	/** True if browsers reach this service over TLS. */
	secure: boolean;
};

export type OpenedSession = { token: string; expiresAtMs: number };

export type Sessions = ReturnType<typeof createSessions>;

type OpenSession = { id: string; profile: Profile; seenAt: Date; signedInAt: Date };

/** A prefix of its own, so that scanners of leaked text and our own reader know it at sight. */
const PREFIX = "svcs_";
const FORM = /^svcs_[A-Za-z0-9_-]{43}$/;

/** Makes and hashes session tokens: 256 random bits from the operating system. */
export const sessionToken = {
	create(randomBytes: (count: number) => Uint8Array): string {
		return PREFIX + Buffer.from(randomBytes(SESSION_TOKEN_BYTES)).toString("base64url");
	},

	isOne: (text: string): boolean => FORM.test(text),

	/**
	 * Returns what is stored of a token. With a secret, a row that an attacker writes into the
	 * database opens no session, because they cannot make its hash.
	 */
	hash(token: string, secret: string | undefined): Uint8Array {
		const hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
		return hash.update(token).digest();
	},
};

const { PUBLIC_URL, SANDBOX, SESSION_SECRET, TRADING_HOME_CHAIN } = coreConfig.shape;

/** The part of the configuration that says who may be whom here. */
export const identityConfig = {
	// The runtime's own, which sign-in messages and cookies are made by.
	PUBLIC_URL,
	SANDBOX,
	SESSION_SECRET,
	TRADING_HOME_CHAIN,
};

export type IdentityConfig = z.output<z.ZodObject<typeof identityConfig>>;

/** Keeps who is signed in, until when. A token is in the answer that opened it, nowhere else. */
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
			await tx.execute(
				"update wallets.session set revoked_at = $2 where token_hash = $1 and revoked_at is null",
				[sessionToken.hash(token, secret), now()],
			);
		}
	}

	return {
		cookie,
		end,

		/**
		 * Opens a session with a new token; whatever session the request came with ends (fixation).
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
			await insertSession(tx, session);
			return { token, expiresAtMs };
		},

		/**
		 * Ends all sessions of a profile but one, by `session_profile`: after a change of what it is
		 * made of, whoever else is signed in signs in anew.
		 */
		async endOthers(tx: Tx, profileId: string, exceptId: string | null): Promise<void> {
			await tx.execute(
				`update wallets.session set revoked_at = $3
				where profile_id = $1 and revoked_at is null and ($2::uuid is null or id <> $2)`,
				[profileId, exceptId, now()],
			);
		},

		/**
		 * Finds the open session of a token, and whose it is. It lasts longer for being used; a
		 * stream that only goes on is no use of it.
		 */
		async find(
			{ token, from }: { token: string; from: "header" | "cookie" },
			{ request, isUse }: { request: Request; isUse: boolean },
		): Promise<{ id: string; profile: Profile; signedInAtMs: number } | null> {
			const at = now();
			const found = await findSession(db, sessionToken.hash(token, secret), at);
			if (!found) return null;
			if (isUse && at.getTime() - found.seenAt.getTime() >= SESSION_SLIDE_EVERY_MS) {
				await slideSession(db, { id: found.id, now: at });
				// The browser's copy slides with it.
				if (from === "cookie") {
					requestContexts.get(request)?.headers.set("set-cookie", cookie.set(token));
				}
			}
			return { id: found.id, profile: found.profile, signedInAtMs: found.signedInAt.getTime() };
		},
	};
}

/**
 * Reads the credential of a request. A bearer token wins over a cookie, even a wrong one: a caller
 * who names themselves must not be taken for another. Other schemes belong to proxies in front of
 * this service.
 */
export function readCredential(request: Request, cookie: SessionCookie): Credential {
	const header = request.headers.get("authorization") ?? "";
	const bearer = /^bearer +(.*)$/i.exec(header);
	if (bearer) {
		const token = bearer[1]?.trim() ?? "";
		if (token === "" || token.length > BEARER_LENGTH_MAX) return { kind: "none" };
		return sessionToken.isOne(token)
			? { kind: "session", token, from: "header" }
			: { kind: "access", token };
	}
	const token = cookie.read(request);
	return token !== null && sessionToken.isOne(token)
		? { kind: "session", token, from: "cookie" }
		: { kind: "none" };
}

/**
 * Reads and writes the session's cookie. Behind TLS its name begins with `__Host-`: then a browser
 * takes it only with `Secure`, without a domain and for all paths, so no neighbouring host can
 * plant one (RFC 6265bis, 4.1.3.2).
 */
export function createSessionCookie({ secure }: { secure: boolean }): SessionCookie {
	const name = secure ? "__Host-session" : "session";
	const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
	return {
		read(request) {
			const header = request.headers.get("cookie") ?? "";
			if (header.length > COOKIE_HEADER_LENGTH_MAX) return null;
			const values = header
				.split(";")
				.map((pair) => pair.trim())
				.filter((pair) => pair.startsWith(`${name}=`))
				.map((pair) => pair.slice(name.length + 1));
			const [first] = values;
			// Two of one name: somebody put one beside ours, and which came first says nothing.
			return first !== undefined && values.length === 1 ? first : null;
		},
		set: (token) => `${name}=${token}; ${attributes}; Max-Age=${SESSION_IDLE_MS / 1_000}`,
		clear: () => `${name}=; ${attributes}; Max-Age=0`,
	};
}

/** Opens a session, and ends those of the profile that are too many, the longest silent first. */
async function insertSession(
	tx: Tx,
	session: {
		id: string;
		tokenHash: Uint8Array;
		profileId: string;
		now: Date;
		expiresAt: Date;
		/** The time of the sign-in; null: now. */
		signedInAt: Date | null;
	},
): Promise<void> {
	const { id, tokenHash, profileId, now, expiresAt, signedInAt } = session;
	await tx.execute(
		`insert into wallets.session
			(id, token_hash, profile_id, created_at, seen_at, expires_at, signed_in_at)
		values ($1, $2, $3, $4, $4, $5, $6)`,
		[id, tokenHash, profileId, now, expiresAt, signedInAt],
	);
	// By `session_profile`; the new one was seen now, so it is never among them.
	await tx.execute(
		`update wallets.session set revoked_at = $2 where id in (
			select id from wallets.session
			where profile_id = $1 and revoked_at is null and expires_at > $2
			order by seen_at desc, created_at desc, id = $4 desc offset $3
		)`,
		[profileId, now, SESSIONS_PER_PROFILE_MAX, id],
	);
}

/**
 * Reads the session that a token opens, by the unique index of its hash, and whose it is; null: it
 * has ended.
 */
async function findSession(
	db: Queryable,
	tokenHash: Uint8Array,
	now: Date,
): Promise<OpenSession | null> {
	const rows = await db.query<ProfileRow & { sessionId: string; seenAt: Date; signedInAt: Date }>(
		`select s.id as "sessionId", s.seen_at as "seenAt",
			coalesce(s.signed_in_at, s.created_at) as "signedInAt", ${profileColumns}
		from wallets.session as s join wallets.profile as p on p.id = s.profile_id ${walletsOfProfile}
		where s.token_hash = $1 and s.revoked_at is null and s.expires_at > $2
		order by ${walletOrder}`,
		[tokenHash, now],
	);
	const [row] = rows;
	const profile = profileOf(rows);
	if (!row || !profile) return null;
	const { sessionId: id, seenAt, signedInAt } = row;
	return { id, seenAt, signedInAt, profile };
}

/** Notes that a session was used, and so how long it lasts: never beyond its age limit. */
async function slideSession(db: Queryable, { id, now }: { id: string; now: Date }): Promise<void> {
	await db.execute(
		`update wallets.session set seen_at = $2, expires_at = least(
			$2::timestamptz + $3 * interval '1 millisecond',
			created_at + $4 * interval '1 millisecond'
		)
		where id = $1 and revoked_at is null and seen_at < $2`,
		[id, now, SESSION_IDLE_MS, SESSION_AGE_MAX_MS],
	);
}
