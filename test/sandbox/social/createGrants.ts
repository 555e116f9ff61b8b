import type { SocialAccess } from "./socialAccess.ts";

/** The identity of a call; null: unknown to X. */
export type CallerKind = "app" | "user" | "account" | null;

/**
 * Makes the bot's tokens. A refresh token works once: if it is used again, X revokes all tokens.
 */
export function createGrants(access: SocialAccess, nowMs: () => number) {
	let round = 0;
	let isRevoked = false;
	let current = {
		token: access.userAccessToken,
		refresh: access.userRefreshToken,
		endsAtMs: Infinity,
	};
	const nonces = new Set<string>();

	function callerOf(authorization: string | null): CallerKind {
		if (authorization === `Bearer ${access.bearerToken}`) return "app";
		if (authorization === `Bearer ${current.token}`) {
			return !isRevoked && nowMs() < current.endsAtMs ? "user" : null;
		}
		return authorization?.startsWith("OAuth ") && isSigned(authorization) ? "account" : null;
	}

	/**
	 * Checks only the parts of the signature; another test proves the signature itself with X's
	 * example.
	 */
	function isSigned(header: string): boolean {
		const parts = new Map(
			[...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => {
				return [name, decodeURIComponent(value)];
			}),
		);
		const nonce = parts.get("oauth_nonce") ?? "";
		const isNew = nonce !== "" && !nonces.has(nonce);
		nonces.add(nonce);
		return (
			isNew &&
			parts.get("oauth_consumer_key") === access.apiKey &&
			parts.get("oauth_token") === access.oauth1AccessToken &&
			parts.get("oauth_signature_method") === "HMAC-SHA1" &&
			Buffer.from(parts.get("oauth_signature") ?? "", "base64").length === 20
		);
	}

	async function refresh(request: Request): Promise<Response> {
		const form = new URLSearchParams(await request.text());
		const basic = Buffer.from(`${access.clientId}:${access.clientSecret}`).toString("base64");
		const isClient = request.headers.get("authorization") === `Basic ${basic}`;
		if (!isClient) return Response.json({ error: "unauthorized_client" }, { status: 401 });
		const isRight = form.get("refresh_token") === current.refresh && !isRevoked;
		if (!isRight) {
			isRevoked = true;
			return Response.json({ error: "invalid_grant" }, { status: 400 });
		}
		round += 1;
		current = {
			token: `${access.userAccessToken}-${round}`,
			refresh: `${access.userRefreshToken}-${round}`,
			endsAtMs: nowMs() + 7_200_000,
		};
		return Response.json({
			token_type: "bearer",
			expires_in: 7_200,
			access_token: current.token,
			refresh_token: current.refresh,
		});
	}

	return {
		callerOf,
		refresh,
		rounds: () => round,
		isRevoked: () => isRevoked,
		/** Ends the access token, as after two hours, or by X. */
		expire(): void {
			current.endsAtMs = 0;
		},
	};
}

export type Grants = ReturnType<typeof createGrants>;
