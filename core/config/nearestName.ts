import { editDistance } from "#core/text/editDistance.ts";

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
