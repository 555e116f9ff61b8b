/** A tag as in RFC 9110 8.8.3; text between two of them is ignored. */
const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Returns whether an `If-None-Match` header contains `etag`, or every tag (`*`). By weak
 * comparison, as for reads (RFC 9110 13.1.2): a cache may have changed a weak tag to a strong one,
 * or the reverse.
 */
export function holdsTag(header: string, etag: string): boolean {
	if (header === etag) return true;
	if (header.trim() === "*") return true;
	const wanted = opaque(etag);
	return [...header.matchAll(TAG)].some(([, tag]) => tag === wanted);
}

function opaque(etag: string): string {
	return etag.replace(/^W\//, "").slice(1, -1);
}
