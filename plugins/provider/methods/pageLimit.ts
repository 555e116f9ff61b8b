/**
 * Returns how many rows to ask for: as many as a page can have unless fewer suffice, because each
 * page costs a call.
 */
export function pageLimit(asked: number | undefined, rowsMax: number): number {
	return Math.min(Math.max(Math.trunc(asked ?? rowsMax), 1), rowsMax);
}
