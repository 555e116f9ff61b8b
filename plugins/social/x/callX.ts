// Calls X: one function for HTTP, credentials, and signatures of requests and deliveries.

import { createHmac, timingSafeEqual } from "node:crypto";
import { callOut, type OutboundAnswer, readJson } from "#core/http/call.ts";
import { cleanLine } from "#core/outside.ts";
import { socialFault } from "#plugins/social/faults.ts";
import {
	type SocialConfig,
	X_ANSWER_BYTES_MAX,
	X_PAUSE_MAX_MS,
	X_PAUSE_MS,
	X_TIMEOUT_MS,
	X_UNPAID_PAUSE_MS,
} from "#plugins/social/limits.ts";

export type XCall = {
	method: "GET" | "POST" | "PUT" | "DELETE";
	url: string;
	authorization: string;
	/** At most one of `json` and `form`. */
	json?: unknown;
	form?: Readonly<Record<string, string>>;
	signal?: AbortSignal | undefined;
};

/**
 * The result of one call. After `refused`, `limited` and `unsent` nothing was done; after `unknown`
 * anything may have been done.
 */
export type XAnswer =
	| { kind: "read"; json: unknown; window: XWindow | null }
	/** `isUnpaid`: the app's credits at X are used up. */
	| { kind: "limited"; untilMs: number; window: XWindow | null; isUnpaid?: boolean }
	| { kind: "refused"; status: number; detail: string }
	/** No connection was made. */
	| { kind: "unsent"; detail: string }
	| { kind: "unknown"; detail: string };

/** What X says of its limit for calls of this kind. */
export type XWindow = { max: number; left: number; endsMs: number };

export type CallX = (call: XCall) => Promise<XAnswer>;

/** OAuth 1.0a credentials: the app's, and those of the account that it acts for. */
type OAuth1Keys = {
	apiKey: string;
	apiSecret: string;
	accessToken: string;
	accessTokenSecret: string;
};

type OAuth1Request = {
	method: string;
	/** The URL with its query, whose parameters are signed. A JSON body is not signed. */
	url: string;
	/** Parameters of a form body, which are signed. X's version 2 takes JSON, and has none. */
	form?: Readonly<Record<string, string>>;
	nonce: string;
	nowMs: number;
};

type Name = Extract<keyof SocialConfig, `SOCIAL_${string}` | "SESSION_SECRET">;

const OAUTH1 = [
	"SOCIAL_API_KEY",
	"SOCIAL_API_SECRET",
	"SOCIAL_OAUTH1_ACCESS_TOKEN",
	"SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET",
] as const;

export const SIGNATURE_HEADER = "x-twitter-webhooks-signature";
const PREFIX = "sha256=";

/**
 * Makes the one function that calls X, once: it never repeats a call, and never throws.
 */
export function createCallX(options: {
	nowMs(): number;
	timeoutMs?: number;
	ending: AbortSignal;
}): CallX {
	const { nowMs, ending, timeoutMs = X_TIMEOUT_MS } = options;
	return async ({ method, url, authorization, json, form, signal }) => {
		const answer = await callOut(
			{
				...{ method, url, body: bodyOf(json, form) },
				headers: {
					authorization,
					...(json !== undefined && { "content-type": "application/json" }),
					...(form && { "content-type": "application/x-www-form-urlencoded" }),
				},
			},
			{
				...{ timeoutMs, signals: [ending, signal] },
				...{ bytesMax: X_ANSWER_BYTES_MAX, refusalBytesMax: X_ANSWER_BYTES_MAX },
			},
		);
		return readAnswer(answer, nowMs());
	};
}

/** Returns true if all four parts of OAuth 1.0a are set. */
export function hasOAuth1(config: SocialConfig): boolean {
	return OAUTH1.every((name) => config[name] !== undefined);
}

export function oauth1Keys(config: SocialConfig): OAuth1Keys {
	const gone = OAUTH1.filter((name) => config[name] === undefined);
	if (gone.length > 0) throw missing(gone);
	return {
		apiKey: needed(config, "SOCIAL_API_KEY"),
		apiSecret: needed(config, "SOCIAL_API_SECRET"),
		accessToken: needed(config, "SOCIAL_OAUTH1_ACCESS_TOKEN"),
		accessTokenSecret: needed(config, "SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET"),
	};
}

/** Returns a credential, or throws the Fault that names the missing one. */
export function needed(config: SocialConfig, name: Name): string {
	const value = config[name];
	if (typeof value === "string") return value;
	throw missing([name]);
}

export function missing(names: readonly string[]): Error {
	return socialFault.credentialMissing({ public: `${names.join(", ")} must be set for this.` });
}

/** Returns true if a token for the bot's account by OAuth 2 is set. */
export function hasOAuth2(config: SocialConfig): boolean {
	const { SOCIAL_USER_ACCESS_TOKEN: access, SOCIAL_USER_REFRESH_TOKEN: refresh } = config;
	return access !== undefined || refresh !== undefined;
}

/** Returns the secret that signs deliveries; null where none is set. */
export function webhookSecretOf(config: SocialConfig): string | null {
	return config.SOCIAL_WEBHOOK_SECRET ?? config.SOCIAL_API_SECRET ?? null;
}

/**
 * Returns the `authorization` header that signs a request by RFC 5849 with HMAC-SHA1.
 *
 * Written here because the libraries for X fix its host, and here the operator configures it.
 */
export function oauth1Header(keys: OAuth1Keys, request: OAuth1Request): string {
	const url = new URL(request.url);
	const own: [string, string][] = [
		["oauth_consumer_key", keys.apiKey],
		["oauth_nonce", request.nonce],
		["oauth_signature_method", "HMAC-SHA1"],
		["oauth_timestamp", String(Math.floor(request.nowMs / 1_000))],
		["oauth_token", keys.accessToken],
		["oauth_version", "1.0"],
	];
	const parameters = [...own, ...url.searchParams, ...Object.entries(request.form ?? {})]
		.map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
		.sort();
	const base = [request.method.toUpperCase(), `${url.origin}${url.pathname}`, parameters.join("&")];
	const signature = createHmac(
		"sha1",
		`${escaped(keys.apiSecret)}&${escaped(keys.accessTokenSecret)}`,
	)
		.update(base.map(escaped).join("&"))
		.digest("base64");
	const members = [...own, ["oauth_signature", signature] as const]
		.map(([name, value]) => `${escaped(name)}="${escaped(value)}"`)
		.sort();
	return `OAuth ${members.join(", ")}`;
}

/** Returns true if X signed exactly these bytes; compares in constant time. */
export function isSigned(secret: string, bytes: Uint8Array, header: string | null): boolean {
	const given = Buffer.from(header ?? "");
	const wanted = Buffer.from(signatureOf(secret, bytes));
	return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Returns the signature that X expects for a challenge, and sends with each delivery. */
export function signatureOf(secret: string, bytes: string | Uint8Array): string {
	return `${PREFIX}${createHmac("sha256", secret).update(bytes).digest("base64")}`;
}

function bodyOf(json: unknown, form: XCall["form"] | undefined): string | undefined {
	if (json !== undefined) return JSON.stringify(json);
	return form && new URLSearchParams(form).toString();
}

function readAnswer(answer: OutboundAnswer, nowMs: number): XAnswer {
	switch (answer.kind) {
		case "silent":
			return { kind: answer.isUnsent ? "unsent" : "unknown", detail: answer.detail };
		case "unreadable":
			return { kind: "unknown", detail: answer.detail };
		case "refused": {
			const { status, headers, text } = answer;
			if (status === 429) {
				return { kind: "limited", untilMs: untilOf(headers, nowMs), window: windowOf(headers) };
			}
			if (status === 402) {
				return {
					kind: "limited",
					untilMs: nowMs + X_UNPAID_PAUSE_MS,
					window: null,
					isUnpaid: true,
				};
			}
			if (status < 400 || status >= 500 || status === 408) {
				return { kind: "unknown", detail: `HTTP ${status}` };
			}
			return { kind: "refused", status, detail: wordsOf(readJson(text)) ?? `HTTP ${status}` };
		}
		default: {
			const json = readJson(answer.text);
			if (json !== undefined) return { kind: "read", json, window: windowOf(answer.headers) };
			return { kind: "unknown", detail: `HTTP ${answer.status} without JSON` };
		}
	}
}

/** Returns what X says of its limit; null where it says nothing that can be read. */
function windowOf(headers: Headers): XWindow | null {
	const [max = Number.NaN, left = Number.NaN, ends = Number.NaN] = ["limit", "remaining", "reset"]
		.map((what) => headers.get(`x-rate-limit-${what}`))
		.map((text) => (text !== null && /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN));
	if (![max, left, ends].every(Number.isSafeInteger) || max === 0) return null;
	return { max, left: Math.min(left, max), endsMs: ends * 1_000 };
}

/** Returns when the exhausted rate limits reset, in Unix ms; X names it in seconds. */
function untilOf(headers: Headers, nowMs: number): number {
	const ends = ["x-rate-limit", "x-user-limit-24hour", "x-app-limit-24hour"].flatMap((name) => {
		const left = headers.get(`${name}-remaining`);
		const reset = Number(headers.get(`${name}-reset`) ?? Number.NaN) * 1_000;
		return Number.isFinite(reset) && (left === null || left === "0") ? [reset] : [];
	});
	const after = Number(headers.get("retry-after") ?? Number.NaN) * 1_000;
	if (Number.isFinite(after)) ends.push(nowMs + after);
	const until = ends.length > 0 ? Math.max(...ends) : nowMs + X_PAUSE_MS;
	return Math.min(Math.max(until, nowMs + 1_000), nowMs + X_PAUSE_MAX_MS);
}

/** Returns X's reason, from `detail` or the first of `errors`. It may quote text of strangers. */
function wordsOf(json: unknown): string | null {
	if (typeof json !== "object" || json === null) return null;
	const { detail, errors, error }: { detail?: unknown; errors?: unknown; error?: unknown } = json;
	const [first] = Array.isArray(errors) ? errors : [];
	const message: unknown = typeof first === "object" && first !== null ? first.message : undefined;
	return cleanLine(detail ?? message ?? error, { lengthMax: 200 });
}

/** Encodes by RFC 3986, which escapes more characters than `encodeURIComponent` does. */
function escaped(text: string): string {
	return encodeURIComponent(text).replace(
		/[!'()*]/g,
		(sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}
