import { readCapped } from "#core/http/readCapped.ts";
import { cleanLine } from "#core/outside/cleanLine.ts";
import {
	X_ANSWER_BYTES_MAX,
	X_PAUSE_MAX_MS,
	X_PAUSE_MS,
	X_TIMEOUT_MS,
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
	| { kind: "read"; json: unknown }
	| { kind: "limited"; untilMs: number }
	| { kind: "refused"; status: number; detail: string }
	/** No connection was made. */
	| { kind: "unsent"; detail: string }
	| { kind: "unknown"; detail: string };

export type CallX = (call: XCall) => Promise<XAnswer>;

/**
 * Makes the one function that calls X: one try, no redirect, one time limit for everything. It
 * never throws.
 */
export function createCallX(options: {
	nowMs(): number;
	timeoutMs?: number;
	ending: AbortSignal;
}): CallX {
	const { nowMs, ending, timeoutMs = X_TIMEOUT_MS } = options;
	return async ({ method, url, authorization, json, form, signal }) => {
		const timeout = AbortSignal.timeout(timeoutMs);
		const signals = [timeout, ending, signal].filter((one) => one !== undefined);
		try {
			const response = await fetch(url, {
				method,
				headers: {
					...{ accept: "application/json", authorization },
					// Bun decompresses brotli and zstd fully before a size limit can apply.
					"accept-encoding": "gzip",
					...(json !== undefined && { "content-type": "application/json" }),
					...(form && { "content-type": "application/x-www-form-urlencoded" }),
				},
				...(json !== undefined && { body: JSON.stringify(json) }),
				...(form && { body: new URLSearchParams(form).toString() }),
				// A redirect would send the credential to another host.
				redirect: "error",
				signal: AbortSignal.any(signals),
			});
			return await readAnswer(response, nowMs());
		} catch (error) {
			if (timeout.aborted) return { kind: "unknown", detail: "no answer in time" };
			const code = codeOf(error);
			const kind = UNSENT.has(code) ? "unsent" : "unknown";
			return { kind, detail: `no answer: ${code}` };
		}
	};
}

/** Error codes of Bun and Node that prove that no connection was made. */
const UNSENT = new Set(["ConnectionRefused", "ECONNREFUSED", "ENOTFOUND", "DNSException"]);

async function readAnswer(response: Response, nowMs: number): Promise<XAnswer> {
	const { status, headers } = response;
	const text = await readCapped(response, X_ANSWER_BYTES_MAX);
	const json = text === null ? undefined : parsed(text);
	if (status === 429) return { kind: "limited", untilMs: untilOf(headers, nowMs) };
	if (status >= 400 && status < 500 && status !== 408) {
		return { kind: "refused", status, detail: wordsOf(json) ?? `HTTP ${status}` };
	}
	if (!response.ok) return { kind: "unknown", detail: `HTTP ${status}` };
	if (json === undefined) return { kind: "unknown", detail: `HTTP ${status} without JSON` };
	return { kind: "read", json };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Returns X's reason, from `detail` or the first of `errors`. It may quote text of strangers. */
function wordsOf(json: unknown): string | null {
	if (typeof json !== "object" || json === null) return null;
	const { detail, errors, error }: { detail?: unknown; errors?: unknown; error?: unknown } = json;
	const [first] = Array.isArray(errors) ? errors : [];
	const message: unknown = typeof first === "object" && first !== null ? first.message : undefined;
	return cleanLine(detail ?? message ?? error, { lengthMax: 200 });
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

/** Returns an error's code, never its message, which may contain the URL. */
function codeOf(error: unknown): string {
	const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
	return typeof code === "string" && /^[A-Za-z_]{1,40}$/.test(code) ? code : "failed";
}
