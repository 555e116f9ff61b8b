import { DATA_HEAD_LENGTH_MAX } from "#plugins/market-index/metadata/tokenUri/limits.ts";

/**
 * Returns the text of a `data:` URI, in the readings that are possible: many contracts write plain
 * JSON after the comma, where percent signs are percent signs. Null where it is no such URI, or not
 * of a text type.
 */
export function dataUriTexts(uri: string): string[] | null {
	// Only the beginning: three megabytes of semicolons take the expression as many seconds.
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
		// An unknown encoding: nearly all of it is UTF-8.
		return new TextDecoder().decode(bytes);
	}
}
