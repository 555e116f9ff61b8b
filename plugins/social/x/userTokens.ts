// Renews and keeps the bot account's OAuth 2 tokens, encrypted.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { Fault } from "#core/fault.ts";
import { releaseLease, takeLease } from "#core/lease.ts";
import type { Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import { socialFault } from "#plugins/social/faults.ts";
import {
	type SocialConfig,
	TOKEN_LEASE_MS,
	TOKEN_LOOKS_MAX,
	TOKEN_MARGIN_MS,
	TOKEN_PAUSE_MAX_MS,
	TOKEN_PAUSE_MS,
	X_TIMEOUT_MS,
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

/** Provides the bot account's OAuth 2 tokens. */
type UserTokens = {
	/**
	 * Returns a valid access token. Throws a Fault where there is none, or X accepts none of ours.
	 */
	access(): Promise<string>;
	/** Returns the successor of a token that X refused; renews it unless another process did. */
	renew(refused: string): Promise<string>;
};

type UserTokensDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "holder" | "session">;
	config: SocialConfig;
	askX: AskX;
	/** Called with whether X gave a new token. */
	renewed(isGood: boolean): void;
	/** Waits between two checks for a token that another process requests; tests replace it. */
	wait?(ms: number): Promise<void>;
};

/** Asks X for the next tokens; `check` throws while X is left alone after a failure. */
type Asker = { check(): void; ask(refresh: string): Promise<Tokens> };

/** Names the right to ask X for the next tokens: one process at a time has it. */
const LEASE = "social.token";

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
 * one is used again. So one process asks at a time, by a lease and without a connection of the
 * database, and stores the result where nobody stored another one meanwhile; whoever waited reads
 * what is stored.
 */
export function createUserTokens(deps: UserTokensDeps): UserTokens {
	const { core, config, wait = sleep } = deps;
	const { db, clock, holder, session } = core;
	let kept: Tokens | null = null;
	let renewing: Promise<Tokens> | null = null;
	const asker = createAsker(deps);
	const shelf = createShelf(deps);

	async function access(): Promise<string> {
		if (kept !== null && isGood(kept)) return kept.access;
		const { SOCIAL_USER_REFRESH_TOKEN: refresh, SOCIAL_USER_ACCESS_TOKEN: first } = config;
		if (refresh === undefined) {
			// It cannot be renewed: it is used until X refuses it.
			return needed(config, "SOCIAL_USER_ACCESS_TOKEN");
		}
		const stored = config.SESSION_SECRET === undefined ? null : (await shelf.read()).tokens;
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
		const shared = renewing === null ? null : await renewing;
		// Whoever came before may have found the very token that was refused since.
		if (shared !== null && shared.access !== refused) return shared.access;
		renewing ??= renewInTurn(refused, first).finally(() => {
			renewing = null;
		});
		kept = await renewing;
		return kept.access;
	}

	/** Reads what another process got, or asks X once no other process may. */
	async function renewInTurn(refused: string | null, first: string): Promise<Tokens> {
		for (let look = 0; look < TOKEN_LOOKS_MAX; look += 1) {
			if (look > 0) await wait(X_TIMEOUT_MS / TOKEN_LOOKS_MAX);
			const { tokens: stored } = await shelf.read();
			if (stored !== null && isNext(stored, refused)) return stored;
			asker.check();
			const asked = { name: LEASE, holder, durationMs: TOKEN_LEASE_MS, session };
			if (await takeLease(db, asked)) return await renewHolding(refused, first);
		}
		throw socialFault.unavailable({ detail: "another process asks X for a new token" });
	}

	async function renewHolding(refused: string | null, first: string): Promise<Tokens> {
		let isInDoubt = false;
		try {
			const { row, tokens: stored } = await shelf.read();
			if (stored !== null && isNext(stored, refused)) return stored;
			const next = await asker.ask(stored?.refresh ?? first);
			return await shelf.store(next, { before: row, first });
		} catch (error) {
			isInDoubt = error instanceof Fault && error.code === "social_unavailable";
			throw error;
		} finally {
			// X may have used the token up: until the lease ends no other process asks with it.
			if (!isInDoubt) await releaseLease(db, LEASE, holder);
		}
	}

	const isGood = ({ goodUntilMs }: Tokens) => clock.nowMs() < goodUntilMs - TOKEN_MARGIN_MS;
	const isNext = (stored: Tokens, refused: string | null): boolean =>
		stored.access !== refused && isGood(stored);

	return { access, renew };
}

/** Makes what reads and stores the sealed tokens. */
function createShelf({ core: { db, clock }, config }: UserTokensDeps) {
	const seal = () => createSeal(needed(config, "SESSION_SECRET"), "tokens");

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

	return {
		async read(): Promise<{ row: StoredTokens | null; tokens: Tokens | null }> {
			const row = await readTokens(db);
			return { row, tokens: opened(row) };
		},

		/**
		 * Stores tokens where the row is what it was before X was asked, else returns the stored
		 * ones: a process that slept past its lease does not undo what another one got.
		 */
		async store(
			next: Tokens,
			{ before, first }: { before: StoredTokens | null; first: string },
		): Promise<Tokens> {
			const sealed = seal().close(JSON.stringify(next));
			const goodUntil = new Date(next.goodUntilMs);
			return await db.transaction(async (tx) => {
				const found = await lockTokens(tx);
				const isSame = Buffer.from(found?.sealed ?? []).equals(Buffer.from(before?.sealed ?? []));
				if (!isSame) return opened(found) ?? next;
				const at = new Date(clock.nowMs());
				await storeTokens(tx, { sealed, goodUntil, seed: seedOf(first), at });
				return next;
			});
		},
	};
}

/** Makes what asks X for the next tokens, not more often than its failures allow. */
function createAsker({ core, config, askX, renewed }: UserTokensDeps): Asker {
	const { clock, log } = core;
	/** Holds until when X is not asked again after it gave no token, and the length of that pause. */
	let pause = { untilMs: 0, ms: 0 };

	async function askNow(refresh: string): Promise<Tokens> {
		const clientId = needed(config, "SOCIAL_CLIENT_ID");
		const clientSecret = needed(config, "SOCIAL_CLIENT_SECRET");
		const answer = await askX(
			(settings, Client) => new Client({ clientId, clientSecret }, settings),
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

	function check(): void {
		if (clock.nowMs() >= pause.untilMs) return;
		throw socialFault.unavailable({ detail: "X gave no new token a moment ago" });
	}

	async function ask(refresh: string): Promise<Tokens> {
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
	}

	return { check, ask };
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
