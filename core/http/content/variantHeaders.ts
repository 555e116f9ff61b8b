import type { Variant } from "#core/http/content/ContentCoding.ts";
import { varyWith } from "#core/http/varyWith.ts";

/** Browsers and proxies may keep it, but must ask before each use: 304 if nothing changed. */
const REVALIDATED = "public, max-age=0, must-revalidate";

/**
 * Returns the headers of one variant, from those of the answer itself, in lower case. A 304 has
 * those of the 200 that concern caching (RFC 9110 15.4.5).
 */
export function variantHeaders(
	headers: Readonly<Record<string, string>>,
	{ etag, variant }: { etag: string; variant: Variant },
): Record<string, string> {
	const { "content-type": type, "content-length": _, ...rest } = headers;
	const kept = {
		"cache-control": REVALIDATED,
		...rest,
		vary: varyWith(headers.vary, "Accept-Encoding"),
		etag,
	};
	if (variant === "unchanged") return kept;
	return {
		...kept,
		...(type !== undefined && { "content-type": type }),
		...(variant !== "identity" && { "content-encoding": variant }),
	};
}
