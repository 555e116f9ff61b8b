const TERMS_MAX = 8;
const TERM_LENGTH_MAX = 64;

/** Returns the words of a query: letters and digits of any script, lower case. */
export function searchTerms(query: string): string[] {
	const words =
		query
			.normalize("NFKC")
			.toLowerCase()
			.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
	return [...new Set(words.map((word) => word.slice(0, TERM_LENGTH_MAX)))].slice(0, TERMS_MAX);
}
