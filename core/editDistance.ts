/**
 * Counts the insertions, deletions, replacements and swaps of neighbours that make `a` into `b`.
 * Infinity where the lengths differ by more than two: no caller needs such a distance.
 */
export function editDistance(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > 2) return Infinity;
	let before: number[] = [];
	let above = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const same = a[row - 1] === b[column - 1];
			const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
			current[column] = Math.min(
				(above[column] ?? Infinity) + 1,
				(current[column - 1] ?? Infinity) + 1,
				(above[column - 1] ?? Infinity) + (same ? 0 : 1),
				swapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
			);
		}
		before = above;
		above = current;
	}
	return above[b.length] ?? Infinity;
}
