import { BEARER_LENGTH_MAX } from "#plugins/wallets/limits.ts";
import type { SessionCookie } from "#plugins/wallets/session/sessionCookie.ts";
import { sessionToken } from "#plugins/wallets/session/sessionToken.ts";

/** By what a request says who speaks. */
export type Credential =
	| { kind: "session"; token: string; from: "header" | "cookie" }
	/** Not one of ours: then it can only be the wallet provider's. */
	| { kind: "access"; token: string }
	| { kind: "none" };

/**
 * Reads by what a request says who speaks. A bearer token wins over a cookie, also one that is
 * wrong: who names themselves must not be taken for somebody else. Other schemes belong to whatever
 * stands in front of us.
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
