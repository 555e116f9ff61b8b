/** A stored time as clients see times: ISO 8601, UTC, milliseconds. */
export function displayTime(at: Date | null): string | null {
	return at === null ? null : at.toISOString();
}
