/**
 * Characters that Python's `str.strip` removes. `trim` also removes U+FEFF, and keeps U+001C to
 * U+001F and U+0085: traits that differ in those alone would be ranked differently.
 */
const EDGES = new Set([
	..."\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680",
	..."\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a",
	..."\u2028\u2029\u202f\u205f\u3000",
]);

/** Returns a name or a value as OpenRarity compares it: lower case, no surrounding blanks. */
export function normaliseTrait(text: string): string {
	let start = 0;
	let end = text.length;
	while (start < end && EDGES.has(text.charAt(start))) start++;
	while (end > start && EDGES.has(text.charAt(end - 1))) end--;
	return text.slice(start, end).toLowerCase();
}
