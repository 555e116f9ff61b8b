/** Longer than this nobody is put aside on a header's word: it may be a mistake, or a joke. */
const RETRY_AFTER_MAX_MS = 5 * 60_000;

/**
 * How long a 429 or 503 asks us to stay away (RFC 9110, 10.2.3); null where it does not say.
 *
 * A date is read against the answer's own `Date`: whose clock is wrong does not matter then.
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
