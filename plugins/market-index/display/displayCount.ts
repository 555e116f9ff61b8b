/** A stored supply for display. Zero is what a source says that has not counted yet: unknown. */
export function displayCount(count: string | null): number | null {
	return count === null ? null : Number(count) || null;
}
