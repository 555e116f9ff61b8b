import { harmless } from "#agent/reply/harmless.ts";
import { replyLength } from "#agent/reply/replyLength.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#core/time/units.ts";

export type LineTerms = {
	/** The maximum length, in code points and as X counts. */
	lengthMax: number;
	/** The time of its oldest figure; null where nothing in it gets old. */
	asOfMs: number | null;
	nowMs: number;
};

/**
 * Renders a reply's line: harmless, with the age of its figures, and within the maximum length. A
 * longer text is cut between words, or between whole characters, and ends with `…`; the age stays.
 */
export function renderLine(text: string, { lengthMax, asOfMs, nowMs }: LineTerms): string {
	const age = asOfMs === null ? "" : ` · ${ageOf(nowMs - asOfMs)}`;
	return `${cut(harmless(text), lengthMax - replyLength(age).weighted)}${age}`;
}

/** Returns the age with its unit, at least 0: another clock may be slightly ahead of ours. */
function ageOf(ms: number): string {
	const age = Math.max(0, ms);
	if (age < 2 * MINUTE_MS) return `${Math.floor(age / SECOND_MS)} s ago`;
	if (age < 2 * HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
	if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
	return `${Math.floor(age / DAY_MS)} d ago`;
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
const ENDING = "…";
/** How far back to look for a blank: half a figure would be another figure. */
const WORD_CHARS_MAX = 80;

function cut(text: string, lengthMax: number): string {
	if (fits(text, lengthMax)) return text;
	let kept = "";
	for (const { segment } of characters.segment(text)) {
		if (!fits(`${kept}${segment}${ENDING}`, lengthMax)) break;
		kept += segment;
	}
	const blank = kept.lastIndexOf(" ");
	const isWhole = text[kept.length] === " ";
	if (!isWhole && blank > 0 && kept.length - blank <= WORD_CHARS_MAX) kept = kept.slice(0, blank);
	return `${kept.trimEnd()}${ENDING}`;
}

function fits(text: string, lengthMax: number): boolean {
	const { codePoints, weighted } = replyLength(text);
	return Math.max(codePoints, weighted) <= lengthMax;
}
