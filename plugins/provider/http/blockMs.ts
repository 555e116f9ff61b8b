import { BLOCK_MAX_MS } from "#plugins/provider/limits.ts";

/** The one form of RFC 9110 that is sent today: `Date.parse` alone also reads "1.5" as a date. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns for how long an answer's headers ask us to wait, in ms; null where they do not say.
 * `retry-after` comes first, then a used-up allowance that states when it is renewed.
 *
 * A time is compared with the answer's own `Date`, so a wrong clock on either side does not matter.
 * A time in the past, or in no standard form ("5s", "1.5"), counts as none.
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
	// Seconds since 1970, so ten digits; a shorter number has a meaning that is not documented.
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
