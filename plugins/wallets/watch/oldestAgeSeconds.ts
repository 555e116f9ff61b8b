/** Whole seconds since the earliest of these moments; 0 where none of them can be read. */
export function oldestAgeSeconds(sinceMs: readonly (number | null)[], nowMs: number): number {
	const known = sinceMs.filter((ms) => ms !== null && Number.isFinite(ms)).map(Number);
	return known.length === 0 ? 0 : Math.max(0, Math.floor((nowMs - Math.min(...known)) / 1_000));
}
