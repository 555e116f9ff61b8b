/** No limit is higher; a larger number is an end of the range itself. */
const RANGE_BLOCKS_MAX = 10_000_000;
/** The sentence is the endpoint's: only its beginning is read. */
const TEXT_MAX = 600;

/** "…this block range should work: [0x1, 0x2]", as Alchemy, Infura and Blast suggest. */
const SUGGESTED_HEX = /\brange\b[^[]{0,40}\[\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]/i;
/** "…retry with the range 1-20", as reth suggests. */
const SUGGESTED_DECIMAL = /retry with the range (\d{1,15})\s*-\s*(\d{1,15})/i;

/** A limit on the number of results says nothing about blocks. */
const COUNTS_LOGS =
	/\b(logs|results|entries|events)\b.{0,40}(exceed|limit)|(more than|max(imum)?) [\d,]*\s?(results|logs)/i;
const SPEAKS_OF_BLOCKS = /blocks?\b|\brange/i;

const NUMBER = "(\\d[\\d,_]{0,14})(\\s?k\\b)?";
/** "up to a 2K block range", "limited to 0 - 50 blocks", "ranges over 10000 blocks". */
const BEFORE_ITS_NOUN = new RegExp(
	`(?:up to|limited to|at most|than|over|within|allows?)(?: an?| size| 0 -)* ${NUMBER} ?(?:max|blocks?|range)`,
	"gi",
);
/** "Max range: 800", "exceeds limit of 10000", "maximum is set to 2048". */
const AFTER_ITS_WORD = new RegExp(`(?:max|limit|allowed|than size)[^\\d.;]{0,40}?${NUMBER}`, "gi");

/** Returns how many blocks an endpoint says it allows at once; null if it names none. */
export function rangeBlocksMax(message: string): number | null {
	const text = message.slice(0, TEXT_MAX);
	const suggested = SUGGESTED_HEX.exec(text) ?? SUGGESTED_DECIMAL.exec(text);
	if (suggested) return plausible(Number(suggested[2]) - Number(suggested[1]) + 1);
	if (COUNTS_LOGS.test(text) || !SPEAKS_OF_BLOCKS.test(text)) return null;
	return lastNumber(text, BEFORE_ITS_NOUN) ?? lastNumber(text, AFTER_ITS_WORD);
}

/** Returns the last number, because the requested range is named before the limit. */
function lastNumber(text: string, pattern: RegExp): number | null {
	const found = [...text.matchAll(pattern)].at(-1);
	if (!found) return null;
	const [, digits = "", thousands] = found;
	return plausible(Number(digits.replace(/[,_]/g, "")) * (thousands ? 1_000 : 1));
}

function plausible(blocks: number): number | null {
	return blocks >= 1 && blocks <= RANGE_BLOCKS_MAX ? blocks : null;
}
