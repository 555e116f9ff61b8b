import type { Variant } from "#core/http/content/ContentCoding.ts";
import { varyWith } from "#core/http/varyWith.ts";

/** Kept by browsers and proxies, and asked about before each use: a 304 where nothing changed. */
const REVALIDATED = "public, max-age=0, must-revalidate";

/**
 * The headers of one variant of an answer, from those of the answer itself, in lower case. A 304
 * has those that a 200 would have and that are about keeping it (RFC 9110 15.4.5).
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
