/** Returns a stored supply for display. Zero means not counted yet: unknown. */
export function displayCount(count: string | null): number | null {
	return count === null ? null : Number(count) || null;
}
