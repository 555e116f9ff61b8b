/** Returns a text cut to a length in whole characters; null where only blanks or marks are left. */
export function readable(text: string, lengthMax: number): string | null {
	const kept = text.length > lengthMax ? [...text].slice(0, lengthMax).join("").trimEnd() : text;
	// Marks alone (a variation selector, an accent) have nothing to stand on.
	return /[^\s\p{M}]/u.test(kept) ? kept : null;
}
