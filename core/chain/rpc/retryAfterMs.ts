/** The longest retry time that is followed: a longer one may be a mistake. */
const RETRY_AFTER_MAX_MS = 5 * 60_000;

/**
 * Returns the retry time of a 429 or 503 (RFC 9110, 10.2.3) in ms; null if it has none.
 *
 * A date is compared with the answer's own `Date`, so that a wrong clock does not matter.
 */
export function retryAfterMs(headers: Headers): number | null {
	const text = headers.get("retry-after")?.trim() ?? "";
	if (/^\d{1,9}$/.test(text)) return bounded(Number(text) * 1_000);
	const untilMs = Date.parse(text);
	const saidAtMs = Date.parse(headers.get("date") ?? "");
	return Number.isNaN(untilMs) || Number.isNaN(saidAtMs) ? null : bounded(untilMs - saidAtMs);
}

function bounded(ms: number): number {
	return Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
