const ENCODED_NUL = /%00/;

/**
 * Returns what is wrong with a URL's percent-encoding; undefined: nothing.
 *
 * Path parameters and query values are decoded later, in places that either throw or pass bytes on
 * that Postgres refuses (a NUL is error 22021): here they are all refused the same way.
 */
export function urlFlaw(url: string): string | undefined {
	if (!url.includes("%")) return undefined;
	if (ENCODED_NUL.test(url)) return "The URL contains a NUL character.";
	try {
		// `decodeURIComponent` also refuses invalid UTF-8 (%ff) and lone surrogates (%ED%A0%80).
		decodeURIComponent(url);
		return undefined;
	} catch {
		return "The URL is not valid percent-encoded UTF-8.";
	}
}
