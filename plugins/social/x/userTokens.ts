// Renews and keeps the bot account's OAuth 2 tokens, encrypted.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { TwitterApi } from "twitter-api-v2";
import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import { socialFault } from "#plugins/social/faults.ts";
import {
	type SocialConfig,
	TOKEN_MARGIN_MS,
	TOKEN_PAUSE_MAX_MS,
	TOKEN_PAUSE_MS,
} from "#plugins/social/limits.ts";
import {
	lockTokens,
	readTokens,
	type StoredTokens,
	storeTokens,
} from "#plugins/social/sql/contacts.ts";
import { type AskX, missing, needed } from "#plugins/social/x/callX.ts";

/** Encrypts texts for the database, and decrypts them. */
export type Seal = {
	close(text: string): Uint8Array;
	/** Returns the text; null if it was sealed by another key, or changed since. */
	open(sealed: Uint8Array): string | null;
};

/** Gives the bot account's OAuth 2 tokens. */
type UserTokens = {
	/**
	 * Returns a valid access token. Throws a Fault where there is none, or X accepts none of ours.
	 */
	access(): Promise<string>;
	/** Returns the successor of a token that X refused; renews it unless another process did. */
	renew(refused: string): Promise<string>;
};

type UserTokensDeps = {
	core: Pick<Core, "db" | "clock" | "log">;
	config: SocialConfig;
	askX: AskX;
	/** Hears whether X gave a new token. */
	renewed(isGood: boolean): void;
};

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const tokens = z.object({ access: z.string(), refresh: z.string(), goodUntilMs: z.number() });
type Tokens = z.output<typeof tokens>;
const granted = z.looseObject({
	access_token: z.string().min(1).max(4_000),
	refresh_token: z.string().min(1).max(4_000).optional(),
	expires_in: z.number().positive().default(7_200),
});

/**
 * Keeps the bot account's tokens. A refresh token works once, and X revokes all tokens if an old
 * one is used again. So one process renews at a time, under a database lock, and stores the result
 * in the same transaction; a process that waited reads the stored result.
 */
export function createUserTokens(deps: UserTokensDeps): UserTokens {
	const { core, config } = deps;
	const { db, clock } = core;
	let kept: Tokens | null = null;
	const ask = createAsk(deps);

	async function access(): Promise<string> {
		if (kept !== null && isGood(kept)) return kept.access;
		const { SOCIAL_USER_REFRESH_TOKEN: refresh, SOCIAL_USER_ACCESS_TOKEN: first } = config;
		if (refresh === undefined) {
			// It cannot be renewed: it is used until X refuses it.
			return needed(config, "SOCIAL_USER_ACCESS_TOKEN");
		}
		const stored = config.SESSION_SECRET === undefined ? null : opened(await readTokens(db));
		if (stored === null && first !== undefined && kept === null) return first;
		if (stored !== null && isGood(stored)) {
			kept = stored;
			return stored.access;
		}
		return await renew(stored?.access ?? null);
	}

	async function renew(refused: string | null): Promise<string> {
		const first = config.SOCIAL_USER_REFRESH_TOKEN;
		if (first === undefined) {
			throw socialFault.tokenRefused({
				public: "X refuses SOCIAL_USER_ACCESS_TOKEN, and no SOCIAL_USER_REFRESH_TOKEN is set.",
			});
		}
		// Without the secret the new token could not be stored, and the old one would be used up.
		if (config.SESSION_SECRET === undefined) throw missing(["SESSION_SECRET"]);
		kept = await db.transaction(async (tx) => {
			const stored = opened(await lockTokens(tx));
			if (stored !== null && stored.access !== refused && isGood(stored)) return stored;
			const next = await ask(stored?.refresh ?? first);
			const sealed = seal().close(JSON.stringify(next));
			const goodUntil = new Date(next.goodUntilMs);
			await storeTokens(tx, { sealed, goodUntil, seed: seedOf(first), at: now() });
			return next;
		});
		return kept.access;
	}

	const now = () => new Date(clock.nowMs());
	const seal = () => createSeal(needed(config, "SESSION_SECRET"), "tokens");
	const isGood = ({ goodUntilMs }: Tokens) => clock.nowMs() < goodUntilMs - TOKEN_MARGIN_MS;

	/**
	 * Returns the stored tokens; null where there are none, or the operator set another token or
	 * secret.
	 */
	function opened(stored: StoredTokens | null): Tokens | null {
		const first = config.SOCIAL_USER_REFRESH_TOKEN;
		if (stored === null || first === undefined) return null;
		if (!Buffer.from(stored.seed).equals(seedOf(first))) return null;
		const text = seal().open(stored.sealed);
		return text === null ? null : (tokens.safeParse(JSON.parse(text)).data ?? null);
	}

	return { access, renew };
}

/** Makes the function that asks X for the next tokens, not more often than its failures allow. */
function createAsk({ core, config, askX, renewed }: UserTokensDeps) {
	const { clock, log } = core;
	/** After X gave no token: until when it is not asked again, and how long that was. */
	let pause = { untilMs: 0, ms: 0 };

	async function askNow(refresh: string): Promise<Tokens> {
		const clientId = needed(config, "SOCIAL_CLIENT_ID");
		const clientSecret = needed(config, "SOCIAL_CLIENT_SECRET");
		const answer = await askX(
			(settings) => new TwitterApi({ clientId, clientSecret }, settings),
			(client) => client.refreshOAuth2Token(refresh),
		);
		if (answer.kind === "refused") {
			log.error("X does not take the bot's refresh token", { status: answer.status });
			throw socialFault.tokenRefused({ detail: answer.detail });
		}
		const read = answer.kind === "read" ? granted.safeParse(answer.json).data : undefined;
		if (!read) throw socialFault.unavailable({ detail: `no new token: ${answer.kind}` });
		return {
			access: read.access_token,
			refresh: read.refresh_token ?? refresh,
			goodUntilMs: clock.nowMs() + read.expires_in * 1_000,
		};
	}

	return async (refresh: string): Promise<Tokens> => {
		if (clock.nowMs() < pause.untilMs) {
			throw socialFault.unavailable({ detail: "X gave no new token a moment ago" });
		}
		try {
			const next = await askNow(refresh);
			pause = { untilMs: 0, ms: 0 };
			renewed(true);
			return next;
		} catch (error) {
			const ms = Math.min(TOKEN_PAUSE_MAX_MS, Math.max(TOKEN_PAUSE_MS, 2 * pause.ms));
			pause = { untilMs: clock.nowMs() + ms, ms };
			renewed(false);
			throw error;
		}
	};
}

/**
 * Makes a seal (AES-256-GCM) with a key that is derived from the deployment's secret for one
 * purpose: neither a copy of the database nor another purpose's key opens it.
 */
export function createSeal(secret: string, purpose: string): Seal {
	const key = Buffer.from(hkdfSync("sha256", secret, "", `tapeline social ${purpose}`, KEY_BYTES));
	return {
		close(text) {
			const nonce = randomBytes(NONCE_BYTES);
			const cipher = createCipheriv("aes-256-gcm", key, nonce);
			const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
			return Buffer.concat([nonce, cipher.getAuthTag(), body]);
		},
		open(sealed) {
			if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) return null;
			const bytes = Buffer.from(sealed);
			const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
			decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
			try {
				const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
				return Buffer.concat([body, decipher.final()]).toString("utf8");
			} catch {
				return null;
			}
		},
	};
}

function seedOf(refresh: string): Buffer {
	return createHash("sha256").update(`tapeline social seed ${refresh}`).digest();
}
