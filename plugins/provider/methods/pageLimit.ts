/** How many rows to ask for: the most there are unless fewer do, because a page is a call. */
export function pageLimit(asked: number | undefined, rowsMax: number): number {
	return Math.min(Math.max(Math.trunc(asked ?? rowsMax), 1), rowsMax);
}
