import {
	DOCUMENT_DEPTH_MAX,
	DOCUMENT_VALUES_MAX,
} from "#plugins/market-index/metadata/tokenUri/limits.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Says whether a JSON text is small enough to parse: a megabyte of `[` or of members takes the
 * parser and later code up to a second (measured), which blocks the process. It does not check the
 * grammar.
 */
export function isJsonBounded(text: string): boolean {
	let depth = 0;
	let values = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfString(text, at + 1);
		else if (code === COMMA && ++values > DOCUMENT_VALUES_MAX) return false;
		else if (OPENING.has(code) && ++depth > DOCUMENT_DEPTH_MAX) return false;
		else if (CLOSING.has(code)) depth--;
	}
	return true;
}

/** Returns the place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
	let at = start;
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) return at;
		at += code === BACKSLASH ? 2 : 1;
	}
	return at;
}
