// Decides which pages of other origins may call.

import { assert } from "#core/fault.ts";

export type OriginPolicy = {
	/** Returns whether a page of the request's Origin may act on `host` with its user's cookies. */
	trusts(request: Request, host: string): boolean;
	/**
	 * Returns headers that allow, or do not allow, a page of the request's Origin to read the answer.
	 * What is public, any page may read, without credentials.
	 */
	readHeaders(request: Request, isPublic: boolean): Readonly<Record<string, string>>;
	/** Returns the headers for an allowed preflight; undefined where the origin may not call. */
	preflightHeaders(
		request: Request,
		isPublic: boolean,
	): Readonly<Record<string, string>> | undefined;
};

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const PUBLIC_METHODS = "GET, HEAD, POST";
const REQUEST_HEADERS =
	"authorization, content-type, idempotency-key, if-none-match, x-admin-actor, x-api-key, " +
	"x-request-id";
const EXPOSED_HEADERS =
	"etag, idempotency-replayed, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, " +
	"x-request-id, x-svc-cache, x-svc-sandbox";
const PREFLIGHT_SECONDS = 600;
/**
 * Headers that pages of any origin may send. There are no credentials among them: public reads need
 * none.
 */
const PUBLIC_REQUEST_HEADERS = "content-type, idempotency-key, if-none-match, x-request-id";

/** Lets any page read an answer that is public; credentials are not allowed with `*`. */
export const PUBLIC_READ_HEADERS = {
	"access-control-allow-origin": "*",
	"access-control-expose-headers": EXPOSED_HEADERS,
} as const;

/**
 * Makes the policy for browser pages: the listed origins may call, compared byte by byte.
 *
 * Written here because comparison by prefix, suffix or pattern is how allowlists are bypassed, and
 * because `null` (a sandboxed frame, a file) and `*` must never be entries.
 */
export function createOriginPolicy(options: {
	allowedOrigins: readonly string[];
	publicUrl?: string | undefined;
}): OriginPolicy {
	for (const origin of options.allowedOrigins) {
		assert(
			URL.canParse(origin) && new URL(origin).origin === origin,
			`WEB_ALLOWED_ORIGINS: "${origin}" is not an origin like https://app.example`,
		);
	}
	const allowed = new Set(options.allowedOrigins);
	const own = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);

	const readHeaders = (request: Request, isPublic: boolean): Readonly<Record<string, string>> => {
		const origin = request.headers.get("origin");
		// Also on answers without the header: a cache must not give one origin's answer to another.
		if (origin === null || !allowed.has(origin)) {
			return { vary: "Origin", ...(isPublic && PUBLIC_READ_HEADERS) };
		}
		return {
			vary: "Origin",
			"access-control-allow-origin": origin,
			"access-control-allow-credentials": "true",
			"access-control-expose-headers": EXPOSED_HEADERS,
		};
	};

	return {
		readHeaders,
		trusts(request, host) {
			const origin = request.headers.get("origin");
			if (origin === null) return false;
			return allowed.has(origin) || isSame({ origin, own, host });
		},
		preflightHeaders(request, isPublic) {
			const origin = request.headers.get("origin");
			const isListed = origin !== null && allowed.has(origin);
			if (!isListed && !isPublic) return undefined;
			return {
				...readHeaders(request, isPublic),
				"access-control-allow-methods": isListed ? METHODS : PUBLIC_METHODS,
				"access-control-allow-headers": isListed ? REQUEST_HEADERS : PUBLIC_REQUEST_HEADERS,
				"access-control-max-age": String(PREFLIGHT_SECONDS),
			};
		},
	};
}

/** Returns the text of a `vary` header with this header's name added, unless it contains it. */
export function varyWith(existing: string | null | undefined, name: string): string {
	if (!existing) return name;
	const isThere = existing === "*" || namesOf(existing).includes(name.toLowerCase());
	return isThere ? existing : `${existing}, ${name}`;
}

/**
 * Returns whether the origin is the request's own address. The scheme is compared only where the
 * public URL is configured: behind a proxy that ends TLS we see http, whatever the browser used.
 */
function isSame(compared: { origin: string; own: URL | undefined; host: string }): boolean {
	const { origin, own, host } = compared;
	if (!URL.canParse(origin)) return false;
	const parsed = new URL(origin);
	if (parsed.origin !== origin || !/^https?:$/.test(parsed.protocol)) return false;
	if (own && parsed.host === own.host) return origin === own.origin;
	return parsed.host === host;
}

function namesOf(vary: string): string[] {
	return vary.toLowerCase().split(/,\s*/);
}
