/** Deeper than any body we know; zod and JSON.stringify recurse, and a stack is finite. */
const DEPTH_MAX = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * What a JSON text contains that is valid JSON and no use: nesting without end, NUL characters and
 * lone surrogates (Postgres refuses both in jsonb; RFC 7493 section 2.1 forbids the latter).
 * It does not check the grammar: the parser does.
 */
export function jsonTextFlaw(text: string): string | undefined {
	let depth = 0;
	let position = 0;
	while (position < text.length) {
		const code = text.charCodeAt(position);
		if (code === QUOTE) {
			const string = readString(text, position + 1);
			if (string.flaw) return string.flaw;
			position = string.end;
		} else if (OPENING.has(code)) {
			depth += 1;
			if (depth > DEPTH_MAX) return `The body is nested deeper than ${DEPTH_MAX} levels.`;
		} else if (CLOSING.has(code)) {
			depth -= 1;
		}
		position += 1;
	}
	return undefined;
}

/** Reads to the closing quote; `end` is its position. */
function readString(text: string, start: number): { end: number; flaw?: string } {
	let position = start;
	while (position < text.length) {
		const code = text.charCodeAt(position);
		if (code === QUOTE) break;
		if (code === BACKSLASH && text.charCodeAt(position + 1) === LETTER_U) {
			const unit = escapedUnit(text, position);
			if (unit === 0) return { end: position, flaw: "The body contains a NUL character." };
			if (isHigh(unit) && isLow(escapedUnit(text, position + 6))) position += 6;
			else if (isHigh(unit) || isLow(unit)) {
				return { end: position, flaw: "The body contains half of a surrogate pair." };
			}
			position += 6;
		} else {
			position += code === BACKSLASH ? 2 : 1;
		}
	}
	return { end: position };
}

/** The code unit of a `\uXXXX` at `position`, or NaN where there is none. */
function escapedUnit(text: string, position: number): number {
	const match = /^\\u([0-9a-fA-F]{4})$/.exec(text.slice(position, position + 6));
	return match ? Number.parseInt(match[1] ?? "", 16) : Number.NaN;
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
