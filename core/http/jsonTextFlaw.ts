/** Deeper than any body we know; zod and JSON.stringify recurse, and the stack is limited. */
const DEPTH_MAX = 32;

/** How much of a name is repeated to its sender. */
const NAME_LENGTH_MAX = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OBJECT_OPENS = 0x7b;
const OBJECT_ENDS = 0x7d;
const ARRAY_OPENS = 0x5b;
const ARRAY_ENDS = 0x5d;

/** The names of an object so far; null for an array. */
type Names = Set<string> | null;
/** Shared by every object without a name yet: most texts with many objects have small ones. */
const NO_NAMES: Names = new Set();

/**
 * Returns what is wrong with valid JSON that we do not accept: deep nesting, NUL characters and
 * lone surrogates (Postgres refuses both in jsonb), and an object with one name twice, in any
 * spelling. RFC 7493, sections 2.1 and 2.3, forbids the latter two: of two amounts our parser takes
 * the last one, and a proxy that checked the request may have read the first.
 *
 * It does not check the grammar: the parser does.
 */
export function jsonTextFlaw(text: string): string | undefined {
	const open: Names[] = [];
	let isNameNext = false;
	for (let position = 0; position < text.length; position++) {
		const code = text.charCodeAt(position);
		if (code === QUOTE) {
			const string = readString(text, position + 1);
			if (string.flaw) return string.flaw;
			if (isNameNext) {
				const name = nameOf(text.slice(position + 1, string.end), string.hasEscape);
				if (!addName(open, name)) return `The body names ${shown(name)} more than once.`;
				isNameNext = false;
			}
			position = string.end;
		} else if (code === OBJECT_OPENS || code === ARRAY_OPENS) {
			isNameNext = code === OBJECT_OPENS;
			open.push(isNameNext ? NO_NAMES : null);
			if (open.length > DEPTH_MAX) return `The body is nested deeper than ${DEPTH_MAX} levels.`;
		} else if (code === OBJECT_ENDS || code === ARRAY_ENDS) {
			isNameNext = false;
			open.pop();
		} else if (code === COMMA) {
			isNameNext = (open.at(-1) ?? null) !== null;
		}
	}
	return undefined;
}

/** Adds a name; returns false where the innermost object has it already. */
function addName(open: Names[], name: string): boolean {
	const names = open.at(-1);
	if (!names) return true;
	if (names === NO_NAMES) {
		open[open.length - 1] = new Set([name]);
		return true;
	}
	if (names.has(name)) return false;
	names.add(name);
	return true;
}

/** Returns a name as the parser will read it: `"\u0061mount"` is `"amount"`. */
function nameOf(spelt: string, hasEscape: boolean): string {
	if (!hasEscape) return spelt;
	try {
		return String(JSON.parse(`"${spelt}"`));
	} catch {
		// Invalid JSON: the parser refuses it.
		return spelt;
	}
}

function shown(name: string): string {
	return JSON.stringify(name.slice(0, NAME_LENGTH_MAX).toWellFormed());
}

/** Reads to the closing quote, whose position is `end`. */
function readString(
	text: string,
	start: number,
): { end: number; hasEscape: boolean; flaw?: string } {
	let position = start;
	let hasEscape = false;
	while (position < text.length) {
		const code = text.charCodeAt(position);
		if (code === QUOTE) break;
		if (code === BACKSLASH) hasEscape = true;
		if (code === BACKSLASH && text.charCodeAt(position + 1) === LETTER_U) {
			const unit = escapedUnit(text, position);
			if (unit === 0)
				return { end: position, hasEscape, flaw: "The body contains a NUL character." };
			if (isHigh(unit) && isLow(escapedUnit(text, position + 6))) position += 6;
			else if (isHigh(unit) || isLow(unit)) {
				return { end: position, hasEscape, flaw: "The body contains half of a surrogate pair." };
			}
			position += 6;
		} else {
			position += code === BACKSLASH ? 2 : 1;
		}
	}
	return { end: position, hasEscape };
}

/** Returns the code unit of a `\uXXXX` at `position`, or NaN where there is none. */
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
