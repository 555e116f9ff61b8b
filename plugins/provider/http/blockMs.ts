import { BLOCK_MAX_MS } from "#plugins/provider/limits.ts";

/** Only the one form of RFC 9110 that is sent today: `Date.parse` also reads "1.5" as a day. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long an answer's headers ask us to stay away; null where they do not say. `retry-after` goes
 * first, then an allowance that is used up and says when it begins anew.
 *
 * A time is read against the answer's own `Date`: whose clock is wrong does not matter then. What
 * lies in the past, or is written in no form of the standard ("5s", "1.5"), says nothing.
 */
export function blockMs(headers: Headers, nowMs: number): number | null {
	const answeredAtMs = readDate(headers.get("date")) ?? nowMs;
	return retryAfterMs(headers, answeredAtMs) ?? usedUpMs(headers, answeredAtMs);
}

function retryAfterMs(headers: Headers, answeredAtMs: number): number | null {
	const text = headers.get("retry-after")?.trim() ?? "";
	if (/^\d{1,9}$/.test(text)) return bounded(Number(text) * 1_000);
	const untilMs = readDate(text);
	return untilMs === null ? null : bounded(untilMs - answeredAtMs);
}

function usedUpMs(headers: Headers, answeredAtMs: number): number | null {
	if (headers.get("x-ratelimit-remaining")?.trim() !== "0") return null;
	// Seconds since 1970, so ten digits; a shorter one is of a meaning that nobody told us.
	const reset = headers.get("x-ratelimit-reset")?.trim() ?? "";
	return /^\d{10}$/.test(reset) ? bounded(Number(reset) * 1_000 - answeredAtMs) : null;
}

function readDate(text: string | null): number | null {
	const ms = text && HTTP_DATE.test(text.trim()) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(ms) ? null : ms;
}

function bounded(ms: number): number | null {
	return ms > 0 ? Math.min(ms, BLOCK_MAX_MS) : null;
}
