// Verifies the access tokens of the wallet provider's users.

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { httpFault } from "#core/http/faults.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import {
	KEY_SET_ASK_AGAIN_MS,
	KEY_SET_ASK_EVERY_MS,
	KEY_SET_FRESH_MS,
	KEY_SET_STALE_MS,
	KEYS_PER_SET_MAX,
	NAME_LENGTH_MAX,
	TOKEN_CLOCK_SKEW_S,
	TOKEN_EXPIRES_WITHIN_S,
	TOKEN_LENGTH_MAX,
} from "#plugins/custody/limits.ts";

/** Returns the key for access tokens; null where no key fits the token's `kid`. */
export type KeySource = (keyId: string | null) => Promise<KeyObject | null>;

const setSchema = z.object({ keys: z.array(z.unknown()).max(KEYS_PER_SET_MAX) });
const keySchema = z.object({
	kty: z.literal("EC"),
	crv: z.literal("P-256"),
	x: z.string().regex(/^[\w-]{43}$/),
	y: z.string().regex(/^[\w-]{43}$/),
	kid: z.string().min(1).max(NAME_LENGTH_MAX),
	alg: z.literal("ES256").optional(),
	use: z.literal("sig").optional(),
});

const SIGNATURE_BYTES = 64;

// Strict: a member that RFC 7515 tells to refuse where it is not understood is `crit`.
const headerSchema = z.object({
	alg: z.literal("ES256"),
	typ: z.string().regex(/^jwt$/i).optional(),
	kid: z.string().max(NAME_LENGTH_MAX).optional(),
	crit: z.undefined().optional(),
});
const claimsSchema = z.object({
	iss: z.string(),
	aud: z.union([z.string(), z.tuple([z.string()])]),
	sub: z.string().min(1).max(NAME_LENGTH_MAX),
	exp: z.number(),
	iat: z.number().optional(),
	nbf: z.number().optional(),
});

export type Token = {
	keyId: string | null;
	claims: z.output<typeof claimsSchema>;
	/** The bytes that were signed. */
	signed: Buffer;
	/** r and s, 32 bytes each. */
	signature: Buffer;
};

const ISSUER = "privy.io";

/**
 * Keeps the provider's public keys (JWKS), and asks for them once at a time. A key that we do not
 * know is asked for, but seldom: whoever invents key names costs one request in half a minute.
 * While the provider is away its last keys hold for an hour.
 *
 * @param options.ask returns the set as JSON; throws where it cannot be had.
 */
export function createKeySet(options: { ask: () => Promise<unknown>; clock: Clock }): KeySource {
	const { ask, clock } = options;
	let keys = new Map<string, KeyObject>();
	let readAtMs = Number.NEGATIVE_INFINITY;
	let askedAtMs = Number.NEGATIVE_INFINITY;
	let asking: Promise<void> | null = null;

	async function refresh(): Promise<void> {
		askedAtMs = clock.nowMs();
		const read = readKeys(await ask());
		// An empty set is the provider's mistake, and would sign everybody out.
		if (read.size === 0 && keys.size > 0) return;
		keys = read;
		readAtMs = clock.nowMs();
	}

	function refreshOnce(): Promise<void> {
		asking ??= refresh().finally(() => {
			asking = null;
		});
		return asking;
	}

	return async (keyId) => {
		// Without a name it cannot be said which key it is meant to be.
		if (keyId === null) return null;
		const nowMs = clock.nowMs();
		const isStale = nowMs - readAtMs >= KEY_SET_STALE_MS;
		const everyMs = isStale ? KEY_SET_ASK_AGAIN_MS : KEY_SET_ASK_EVERY_MS;
		const mayAsk = asking !== null || nowMs - askedAtMs >= everyMs;
		if (nowMs - readAtMs >= KEY_SET_FRESH_MS || !keys.has(keyId)) {
			try {
				if (mayAsk) await refreshOnce();
				else if (isStale) throw custodyFault.unavailable({ detail: "no keys, asked just now" });
			} catch (error) {
				if (isStale || !keys.has(keyId)) throw error;
			}
		}
		return keys.get(keyId) ?? null;
	};
}

/**
 * Says whose access token it is. ES256 alone: what a token's header asks for decides nothing. Every
 * token that does not hold is the same `unauthorized`; why is for the log, without the token.
 */
export function createTokenVerifier(options: {
	appId: string;
	keys: KeySource;
	clock: Clock;
}): Custody["verifyAccessToken"] {
	const { appId, keys, clock } = options;
	return async (text) => {
		const token = readToken(text);
		if (token === null) throw refused("no ES256 token");
		// Before the keys are asked for: strangers' tokens must not make us ask.
		const nowMs = clock.nowMs();
		const wrong = mistakeIn(token, appId, nowMs / 1_000);
		if (wrong) throw refused(wrong);
		const key = await keys(token.keyId);
		if (key === null) throw refused("its key is not known");
		const { signed, signature, claims } = token;
		const holds = verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
		if (!holds) throw refused("its signature is wrong");
		const issuedAtMs = Math.floor((claims.iat ?? 0) * 1_000);
		return { userId: claims.sub, issuedAtMs: Math.max(0, Math.min(nowMs, issuedAtMs)) };
	};
}

/** Takes a compact ES256 token apart; null for every other text. Nothing in it is verified yet. */
export function readToken(text: string): Token | null {
	if (text.length > TOKEN_LENGTH_MAX) return null;
	const [header, payload, mac, ...more] = text.split(".");
	if (header === undefined || payload === undefined || mac === undefined || more.length > 0) {
		return null;
	}
	const signature = bytesOf(mac);
	const { data: head } = headerSchema.safeParse(jsonOf(header));
	const { data: claims } = claimsSchema.safeParse(jsonOf(payload));
	if (signature?.length !== SIGNATURE_BYTES || !head || !claims) return null;
	return {
		keyId: head.kid ?? null,
		claims,
		signed: Buffer.from(`${header}.${payload}`),
		signature,
	};
}

/** Reads a P-256 public key: PEM (also with `\n` written out, as environments do), SPKI base64. */
export function readVerificationKey(text: string): KeyObject | null {
	const pem = text.replaceAll("\\n", "\n").trim();
	try {
		const key = pem.startsWith("-----BEGIN PUBLIC KEY-----")
			? createPublicKey({ key: pem, format: "pem", type: "spki" })
			: createPublicKey({ key: Buffer.from(pem, "base64"), format: "der", type: "spki" });
		return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
	} catch {
		return null;
	}
}

function readKeys(json: unknown): Map<string, KeyObject> {
	const read = new Map<string, KeyObject>();
	for (const one of setSchema.safeParse(json).data?.keys ?? []) {
		const { data } = keySchema.safeParse(one);
		if (!data) continue;
		try {
			const { kty, crv, x, y } = data;
			read.set(data.kid, createPublicKey({ key: { kty, crv, x, y }, format: "jwk" }));
		} catch {
			// A point that is not on the curve is no key.
		}
	}
	return read;
}

function refused(detail: string) {
	return httpFault.unauthorized({ detail: `access token: ${detail}` });
}

function mistakeIn({ claims }: Token, appId: string, nowS: number): string | null {
	const { iss, aud, exp, iat = 0, nbf = 0 } = claims;
	if (iss !== ISSUER) return "its issuer is another";
	if ((typeof aud === "string" ? aud : aud[0]) !== appId) return "it is for another application";
	if (!(exp > nowS)) return "it has expired";
	if (exp > nowS + TOKEN_EXPIRES_WITHIN_S) return "it expires more than a day ahead";
	const latestS = nowS + TOKEN_CLOCK_SKEW_S;
	return iat > latestS || nbf > latestS ? "it is not valid yet" : null;
}

/** Reads base64url in its one right spelling: Buffer alone takes `+`, `=` and stray letters too. */
function bytesOf(part: string): Buffer | null {
	const bytes = Buffer.from(part, "base64url");
	return bytes.toString("base64url") === part ? bytes : null;
}

function jsonOf(part: string): unknown {
	try {
		return JSON.parse(bytesOf(part)?.toString("utf8") ?? "");
	} catch {
		return undefined;
	}
}
