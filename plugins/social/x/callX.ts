// Calls X: the library builds and signs, one function of ours sends, and reads X's answer.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { TwitterApi } from "twitter-api-v2";
import { assert } from "#core/fault.ts";
import { callOut, type OutboundAnswer } from "#core/http/call.ts";
import { readJson } from "#core/json.ts";
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

/** A request as the library built it, with its authorization. */
export type XCall = {
	method: "GET" | "POST";
	url: string;
	headers: Readonly<Record<string, string>>;
	body: string | undefined;
	signal?: AbortSignal | undefined;
};

/** Builds exactly one call with the library. */
export type UseX = (client: TwitterApi) => Promise<unknown>;

/** Makes the library's client for an account's credentials; the library is loaded by the first. */
export type AsX = (settings: Settings, Client: typeof TwitterApi) => TwitterApi;
type Settings = NonNullable<ConstructorParameters<typeof TwitterApi>[1]>;

/** Makes one call with an account's credentials; returns X's answer, and never throws for one. */
export type AskX = (as: AsX, use: UseX, signal?: AbortSignal) => Promise<XAnswer>;

/**
 * The result of one call. After `refused`, `limited` and `unsent` nothing was done; after `unknown`
 * anything may have been done.
 */
export type XAnswer =
	| { kind: "read"; json: unknown; window: XWindow | null }
	/** Says until when X refuses calls; `isUnpaid`: the app's credits at X are used up. */
	| { kind: "limited"; untilMs: number; window: XWindow | null; isUnpaid?: boolean }
	| { kind: "refused"; status: number; detail: string }
	/** No connection was made, so nothing was sent. */
	| { kind: "unsent"; detail: string }
	| { kind: "unknown"; detail: string };

/** Holds X's limit for one kind of call: calls a window, calls left, and the window's end in ms. */
export type XWindow = { max: number; left: number; endsMs: number };

export type CallX = (call: XCall) => Promise<XAnswer>;

type Name = Extract<keyof SocialConfig, `SOCIAL_${string}` | "SESSION_SECRET">;

const OAUTH1 = [
	"SOCIAL_API_KEY",
	"SOCIAL_API_SECRET",
	"SOCIAL_OAUTH1_ACCESS_TOKEN",
	"SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET",
] as const;

export const SIGNATURE_HEADER = "x-twitter-webhooks-signature";
const PREFIX = "sha256=";

/** X's own host, which the library writes into each call: ours is put in its place, and signed. */
const LIBRARY_HOST = "https://api.x.com/";

/** Makes the one function that sends to X, once: it never repeats a call, and never throws. */
export function createCallX(options: {
	nowMs(): number;
	timeoutMs?: number;
	ending: AbortSignal;
}): CallX {
	const { nowMs, ending, timeoutMs = X_TIMEOUT_MS } = options;
	return async ({ method, url, headers, body, signal }) => {
		const answer = await callOut(
			{ method, url, body, headers },
			{
				...{ timeoutMs, signals: [ending, signal] },
				...{ bytesMax: X_ANSWER_BYTES_MAX, refusalBytesMax: X_ANSWER_BYTES_MAX },
			},
		);
		return readAnswer(answer, nowMs());
	};
}

/**
 * Makes the function that has the library build and sign a call, and sends it ourselves, to the
 * operator's host alone. The library's own transport is never reached: a plugin of it answers$
 * first, or throws. What it makes of the answer is left: limits and refusals are read by us.
 */
export function createAskX(call: CallX, baseUrl: string): AskX {
	return async (as, use, signal) => {
		const heard: { answer: XAnswer | null } = { answer: null };
		const { TwitterApi: Client } = await import("twitter-api-v2");
		const plugins = {
			plugins: [
				{
					async onBeforeRequestConfig({ client: maker, params }) {
						assert(heard.answer === null, "one call of X at a time");
						const url = params.url.replace(LIBRARY_HOST, `${baseUrl}/`);
						assert(url.startsWith(`${baseUrl}/`), "the library calls the operator's host");
						const isForm = url.startsWith(`${baseUrl}/2/oauth2/`);
						const given = { ...params, url, forceBodyMode: isForm ? "url" : "json" } as const;
						// biome-ignore lint/complexity/useLiteralKeys: the only way to a protected method.
						const built = maker["getHttpRequestArgs"](given);
						heard.answer = await call({
							...{ method: built.method === "GET" ? "GET" : "POST", url: built.url.toString() },
							headers: headersOf(built.headers),
							body: typeof built.body === "string" ? built.body : undefined,
							signal,
						});
						if (heard.answer.kind !== "read") throw socialFault.unavailable();
						return { data: heard.answer.json, headers: {} };
					},
				},
			],
		} satisfies Settings;
		try {
			await use(as(plugins, Client));
		} catch (error) {
			if (heard.answer === null) throw error;
		}
		assert(heard.answer !== null, "the library was asked for a call");
		return heard.answer;
	};
}

function headersOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]) => {
			return typeof value === "string" ? [[name, value]] : [];
		}),
	);
}

/** Returns true if all four parts of OAuth 1.0a are set. */
export function hasOAuth1(config: SocialConfig): boolean {
	return OAUTH1.every((name) => config[name] !== undefined);
}

export function oauth1Keys(config: SocialConfig) {
	const gone = OAUTH1.filter((name) => config[name] === undefined);
	if (gone.length > 0) throw missing(gone);
	return {
		appKey: needed(config, "SOCIAL_API_KEY"),
		appSecret: needed(config, "SOCIAL_API_SECRET"),
		accessToken: needed(config, "SOCIAL_OAUTH1_ACCESS_TOKEN"),
		accessSecret: needed(config, "SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET"),
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
