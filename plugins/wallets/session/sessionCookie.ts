import { COOKIE_HEADER_LENGTH_MAX, SESSION_IDLE_MS } from "#plugins/wallets/limits.ts";

export type SessionCookie = {
	/** The session's token in a request; null where there is none, and where there are several. */
	read(request: Request): string | null;
	/** The `Set-Cookie` that hands a token over. */
	set(token: string): string;
	/** The one that takes it back. */
	clear(): string;
};

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
