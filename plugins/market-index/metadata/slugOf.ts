const SLUG_LENGTH_MAX = 64;

/**
 * Returns a name as a slug: lower-case letters, digits and dashes. Null where nothing is left, and
 * where the result looks like an address: it must never shadow another contract.
 */
export function slugOf(name: string): string | null {
	const slug = name
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.slice(0, SLUG_LENGTH_MAX)
		.replace(/^-+|-+$/g, "");
	return slug === "" || /^0x[0-9a-f]*$/.test(slug) ? null : slug;
}
