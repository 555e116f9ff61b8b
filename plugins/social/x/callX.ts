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
	/** At most one of them. */
	json?: unknown;
	form?: Readonly<Record<string, string>>;
	signal?: AbortSignal | undefined;
};

/**
 * What came of one call. `refused`, `limited` and `unsent` say that nothing was done; after
 * `unknown` anything may have been.
 */
export type XAnswer =
	| { kind: "read"; json: unknown }
	| { kind: "limited"; untilMs: number }
	| { kind: "refused"; status: number; detail: string }
	/** No connection was made. */
	| { kind: "unsent"; detail: string }
	| { kind: "unknown"; detail: string };

export type CallX = (call: XCall) => Promise<XAnswer>;

/** Makes the one way to X: one try, no redirect, one time limit for all of it. It never throws. */
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
					// Bun unpacks brotli and zstd whole before anybody can count.
					"accept-encoding": "gzip",
					...(json !== undefined && { "content-type": "application/json" }),
					...(form && { "content-type": "application/x-www-form-urlencoded" }),
				},
				...(json !== undefined && { body: JSON.stringify(json) }),
				...(form && { body: new URLSearchParams(form).toString() }),
				// No credential follows to wherever an answer points.
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

/** What Bun and Node say where not even a connection was made. */
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

/** X says why in `detail`, or in the first of `errors`. Strangers may be quoted in it. */
function wordsOf(json: unknown): string | null {
	if (typeof json !== "object" || json === null) return null;
	const { detail, errors, error }: { detail?: unknown; errors?: unknown; error?: unknown } = json;
	const [first] = Array.isArray(errors) ? errors : [];
	const message: unknown = typeof first === "object" && first !== null ? first.message : undefined;
	return cleanLine(detail ?? message ?? error, { lengthMax: 200 });
}

/** The limits that have run out name when they begin anew, in seconds. */
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

/** Never a message, which may quote the URL. */
function codeOf(error: unknown): string {
	const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
	return typeof code === "string" && /^[A-Za-z_]{1,40}$/.test(code) ? code : "failed";
}
