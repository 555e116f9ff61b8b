import { acceptedCodings } from "#core/http/content/acceptedCodings.ts";
import type { Variant } from "#core/http/content/ContentCoding.ts";
import type { Content } from "#core/http/content/contentOf.ts";
import { holdsTag } from "#core/http/content/holdsTag.ts";

/** Below this size head and body fit one packet anyway: compressing would only cost time. */
export const COMPRESSED_BYTES_MIN = 1_024;

/**
 * Returns the variant of an answer for a request; undefined where it accepts none of our codings.
 */
export function negotiate(request: Request, content: Content): Variant | undefined {
	const { headers } = request;
	const { large, small } = acceptedCodings(headers.get("accept-encoding"));
	const coding = content.size < COMPRESSED_BYTES_MIN ? small : large;
	// Checked first: a condition counts only if the answer would be sent without it (RFC 9110
	// 13.2.1).
	if (coding === undefined) return undefined;
	const held = headers.get("if-none-match");
	return held !== null && holdsTag(held, content.etag) ? "unchanged" : coding;
}
