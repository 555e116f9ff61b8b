/**
 * Returns a `tsquery` for words that begin with all terms. Terms are quoted, so none is an
 * operator.
 */
export function tsqueryOf(terms: readonly string[]): string {
	return terms.map((term) => `'${term}':*`).join(" & ");
}
