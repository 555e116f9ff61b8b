import { DATA_URL_LENGTH_MAX, URL_LENGTH_MAX } from "#plugins/provider/limits.ts";

const OUTSIDE = { link: /^https?:$/, file: /^(?:https?|ipfs|ar):$/ };

/**
 * A URL that the provider passes on from strangers: `link` is one that people follow, `file` one
 * that is fetched or drawn, and may hold its content. Whatever else (`javascript:`, a path, half a
 * megabyte) is null.
 */
export function cleanUrl(value: unknown, kind: keyof typeof OUTSIDE): string | null {
	if (typeof value !== "string" || value.length > DATA_URL_LENGTH_MAX) return null;
	const text = value.trim();
	if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text) || !URL.canParse(text)) return null;
	if (kind === "file" && /^data:[a-z]+\//i.test(text)) return text;
	return text.length <= URL_LENGTH_MAX && OUTSIDE[kind].test(new URL(text).protocol) ? text : null;
}
