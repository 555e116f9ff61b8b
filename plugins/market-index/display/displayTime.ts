/** Returns a stored time in the form for clients: ISO 8601, UTC, milliseconds. */
export function displayTime(at: Date | null): string | null {
	return at === null ? null : at.toISOString();
}
