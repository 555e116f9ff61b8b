/** The year 2200: a later time is a mistake, or "never", and unknown in both cases. */
const TIME_MAX_MS = 7_258_118_400_000;
const MILLISECONDS_FROM = 100_000_000_000;

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Reads a time in the provider's forms: seconds (or milliseconds) since 1970 as a number or text,
 * or ISO 8601, in UTC where it names no zone. Null for any other form, and for an implausible year.
 */
export function readTimeMs(value: unknown): number | null {
	const ms = typeof value === "string" && !/^\d+$/.test(value) ? isoMs(value) : countedMs(value);
	return ms !== null && ms > 0 && ms < TIME_MAX_MS ? ms : null;
}

function isoMs(text: string): number | null {
	const parts = ISO.exec(text);
	if (!parts) return null;
	const zoned = parts[1] || text.length === 10 ? text : `${text}Z`;
	// Nine digits of a second are more than every Date.parse reads.
	const ms = Date.parse(zoned.replace(" ", "T").replace(/(\.\d{3})\d+/, "$1"));
	return Number.isNaN(ms) ? null : ms;
}

function countedMs(value: unknown): number | null {
	if (typeof value !== "number" && typeof value !== "string") return null;
	const counted = Number(value);
	if (!Number.isFinite(counted)) return null;
	return Math.floor(counted < MILLISECONDS_FROM ? counted * 1_000 : counted);
}
