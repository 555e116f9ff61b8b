import { DATA_HEAD_LENGTH_MAX } from "#plugins/market-index/metadata/tokenUri/limits.ts";

/**
 * The text that a `data:` URI holds, in the ways it may be meant: many contracts write JSON as it
 * is behind the comma, where percent signs are percent signs. Null where it is no such URI, or one
 * of something that is no text.
 */
export function dataUriTexts(uri: string): string[] | null {
	// Only the beginning: three megabytes of semicolons cost the expression as many seconds.
	const match = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(uri.slice(0, DATA_HEAD_LENGTH_MAX));
	if (!match) return null;
	const [head, type = "", parameters = ""] = match;
	if (!/^(|text\/plain|application\/(ld\+)?json|text\/json)$/i.test(type.trim())) return null;
	const body = uri.slice(head.length);
	const charset = /;\s*charset=([^;]+)/i.exec(parameters)?.[1]?.trim() ?? "utf-8";
	if (/;\s*base64\s*$/i.test(parameters)) {
		const text = percentDecoded(body) ?? body;
		return [decoded(Buffer.from(text, "base64"), charset)];
	}
	const text = percentDecoded(body);
	return text === null || text === body ? [body] : [text, body];
}

function percentDecoded(text: string): string | null {
	try {
		return decodeURIComponent(text);
	} catch {
		return null;
	}
}

function decoded(bytes: Buffer, charset: string): string {
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		// A name of no encoding: nearly all of it is UTF-8.
		return new TextDecoder().decode(bytes);
	}
}
