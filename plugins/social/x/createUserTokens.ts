import { createHash } from "node:crypto";
import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import { socialFault } from "#plugins/social/faults.ts";
import { TOKEN_MARGIN_MS } from "#plugins/social/limits.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import {
	lockTokens,
	readTokens,
	type StoredTokens,
	storeTokens,
} from "#plugins/social/sql/tokens.ts";
import type { CallX } from "#plugins/social/x/callX.ts";
import { missing, needed } from "#plugins/social/x/credentials.ts";
import { createSeal } from "#plugins/social/x/seal.ts";

/** Gives the bot account's OAuth 2 tokens. */
export type UserTokens = {
	/**
	 * Returns a valid access token. Throws a Fault where there is none, or X accepts none of ours.
	 */
	access(): Promise<string>;
	/** Returns the successor of a token that X refused; renews it unless another process did. */
	renew(refused: string): Promise<string>;
};

export type UserTokensDeps = {
	core: Pick<Core, "db" | "clock" | "log">;
	config: SocialConfig;
	call: CallX;
};

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
export function createUserTokens({ core, config, call }: UserTokensDeps): UserTokens {
	const { db, clock, log } = core;
	let kept: Tokens | null = null;

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

	async function ask(refresh: string): Promise<Tokens> {
		const clientId = needed(config, "SOCIAL_CLIENT_ID");
		const clientSecret = needed(config, "SOCIAL_CLIENT_SECRET");
		const basic = Buffer.from(
			`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`,
		).toString("base64");
		const answer = await call({
			method: "POST",
			url: `${config.SOCIAL_BASE_URL}/2/oauth2/token`,
			authorization: `Basic ${basic}`,
			form: { grant_type: "refresh_token", refresh_token: refresh, client_id: clientId },
		});
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

function seedOf(refresh: string): Buffer {
	return createHash("sha256").update(`tapeline social seed ${refresh}`).digest();
}
