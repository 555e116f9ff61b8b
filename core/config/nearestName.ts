/** The name of `known` that `name` is probably a misspelling of, if there is one. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
	const wanted = name.toUpperCase();
	let best: { name: string; distance: number } | undefined;
	for (const candidate of known) {
		const distance = editDistance(wanted, candidate);
		if (distance <= allowedDistance(candidate) && distance < (best?.distance ?? Infinity)) {
			best = { name: candidate, distance };
		}
	}
	return best?.name;
}

/** In a name of four letters two wrong ones are another word: POST is not a bad HOST or PORT. */
function allowedDistance(name: string): number {
	if (name.length <= 4) return 0;
	return name.length <= 7 ? 1 : 2;
}

/** Insertions, deletions, replacements and swaps of neighbours that make `a` into `b`. */
function editDistance(a: string, b: string): number {
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
