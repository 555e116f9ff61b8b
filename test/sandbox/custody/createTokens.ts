import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { Clock } from "#core/clock/Clock.ts";

export type TokenOrder = {
	userId: string;
	/** How long the token is valid, in seconds; negative: it has expired already. */
	expiresInS?: number | undefined;
	/** Replaces the usual claims. */
	claims?: Record<string, unknown> | undefined;
	header?: Record<string, unknown> | undefined;
};

export type Tokens = {
	mint(order: TokenOrder): string;
	/** The key as SPKI PEM, for services that are configured with it instead of fetching the set. */
	verificationKey: string;
	/** The answer of GET jwks.json. */
	keySet: unknown;
};

const HOUR_S = 3_600;

/** Makes a signer of access tokens, with a new key at each start. */
export function createTokens(options: { appId: string; clock: Clock }): Tokens {
	const { appId, clock } = options;
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
	const jwk = publicKey.export({ format: "jwk" });
	const kid = createHash("sha256").update(JSON.stringify(jwk)).digest("base64url").slice(0, 20);
	return {
		mint({ userId, expiresInS = HOUR_S, claims = {}, header = {} }) {
			const nowS = Math.floor(clock.nowMs() / 1_000);
			const head = part({ alg: "ES256", typ: "JWT", kid, ...header });
			const sid = randomUUID();
			const usual = { iss: "privy.io", aud: appId, sub: userId, sid, iat: nowS };
			const body = part({ ...usual, exp: nowS + expiresInS, ...claims });
			const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
			const signature = sign("sha256", Buffer.from(`${head}.${body}`), key);
			return `${head}.${body}.${signature.toString("base64url")}`;
		},
		verificationKey: publicKey.export({ format: "pem", type: "spki" }).toString(),
		keySet: { keys: [{ ...jwk, kid, alg: "ES256", use: "sig" }] },
	};
}

function part(value: Record<string, unknown>): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}
