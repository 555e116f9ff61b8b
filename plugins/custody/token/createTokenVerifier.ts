import { verify } from "node:crypto";
import type { Clock } from "#core/clock/Clock.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { TOKEN_CLOCK_SKEW_S, TOKEN_EXPIRES_WITHIN_S } from "#plugins/custody/limits.ts";
import type { KeySource } from "#plugins/custody/token/KeySource.ts";
import { readToken, type Token } from "#plugins/custody/token/readToken.ts";

const ISSUER = "privy.io";

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

function mistakeIn({ claims }: Token, appId: string, nowS: number): string | null {
	const { iss, aud, exp, iat = 0, nbf = 0 } = claims;
	if (iss !== ISSUER) return "its issuer is another";
	if ((typeof aud === "string" ? aud : aud[0]) !== appId) return "it is for another application";
	if (!(exp > nowS)) return "it has expired";
	if (exp > nowS + TOKEN_EXPIRES_WITHIN_S) return "it expires more than a day ahead";
	const latestS = nowS + TOKEN_CLOCK_SKEW_S;
	return iat > latestS || nbf > latestS ? "it is not valid yet" : null;
}

function refused(detail: string) {
	return httpFault.unauthorized({ detail: `access token: ${detail}` });
}
