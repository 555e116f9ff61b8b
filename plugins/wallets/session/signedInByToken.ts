import type { Clock } from "#core/clock/Clock.ts";
import { readToken } from "#plugins/wallets/custody/token/readToken.ts";

/**
 * When the holder of an access token proved who they are, as far as we know: when the wallet
 * provider issued it. One that was verified, and is no JWT, says nothing and counts as issued now.
 *
 * Without `iat` a JWT is as old as can be: a stolen one must not become a fresh sign-in by being
 * sent to us.
 */
export function signedInByToken(token: string, clock: Clock): number {
	const nowMs = clock.nowMs();
	const claims = readToken(token)?.claims;
	if (!claims) return nowMs;
	return Math.max(0, Math.min(nowMs, Math.floor((claims.iat ?? 0) * 1_000)));
}
