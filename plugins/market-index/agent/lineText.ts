// Writes figures, names and times into the one line of a tool's answer.

import { isAddress } from "#core/chain/Hex.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figures.ts";

/** Holds what a line names of a collection; `name` is null while unknown. */
type NamedCollection = { name: string | null; slug: string; chain: string };

/** The longest line of a tool, in code points. */
export const LINE_LENGTH_MAX = 160;
/** The longest name in a line, in code points. The whole name is in the data. */
const NAME_LENGTH_MAX = 32;
const UNKNOWN = "not known";

/** Joins the parts that fit; the head is always there. */
export function lineOf(head: string, parts: readonly string[], separator = ", "): string {
	let line = cut(head, LINE_LENGTH_MAX);
	for (const [index, part] of parts.entries()) {
		const longer = `${line}${index === 0 ? " " : separator}${part}`;
		if (lengthOf(longer) > LINE_LENGTH_MAX)
			return index === 0 ? cut(longer, LINE_LENGTH_MAX) : line;
		line = longer;
	}
	return line;
}

/** Returns a collection as a line begins: `Kiln Folk (ethereum)`. */
export function collectionText(collection: NamedCollection): string {
	return `${nameText(collection)} (${collection.chain})`;
}

/** Returns the name, else the slug, else the shortened address. */
export function nameText({ name, slug }: Omit<NamedCollection, "chain">): string {
	if (name !== null) return cut(name, NAME_LENGTH_MAX);
	return isAddress(slug) ? addressText(slug) : cut(slug, NAME_LENGTH_MAX);
}

export function addressText(address: string): string {
	return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** Returns a token's id; of a long one (it may have 78 digits) only both ends. */
export function tokenText(tokenId: string): string {
	return tokenId.length <= 12 ? `#${tokenId}` : `#${tokenId.slice(0, 5)}…${tokenId.slice(-5)}`;
}

/** Shortens a stranger's text of any length to a few characters. */
export function shortText(text: string): string {
	return cut(text, NAME_LENGTH_MAX);
}

export function ethText(value: number | null): string {
	return value === null ? UNKNOWN : `${numberText(value)} ETH`;
}

export function countText(value: number | null): string {
	return value === null ? UNKNOWN : numberText(value);
}

/** Returns ` ($1,203)`, or nothing where no rate is known. */
export function usdText(value: number | null): string {
	if (value === null) return "";
	if (value > 0 && value < 0.01) return " (<$0.01)";
	return ` ($${(value < 1_000 ? CENTS : WHOLE).format(value)})`;
}

export function percentText(value: number | null): string {
	if (value === null) return "–";
	const size = TENTHS.format(Math.abs(value));
	const sign = size === "0" ? "" : value < 0 ? "−" : "+";
	return `${sign}${size} %`;
}

/** Returns a figure with its unit, and `(in part)` where its window was not covered completely. */
export function figureText({ value, unit, coverage }: ShownFigure): string {
	if (value === null) return UNKNOWN;
	const isPartial = coverage !== null && coverage.fraction !== 1;
	const text =
		unit === "ETH" ? ethText(value) : unit === "percent" ? percentText(value) : countText(value);
	return isPartial ? `${text} (in part)` : text;
}

/** Returns `2026-03-10 14:37 UTC`. */
export function timeText(iso: string): string {
	return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** Returns a stretch of time for a line; a moment is one time. */
export function periodText({ from, until }: { from: string; until: string }): string {
	if (from === until) return timeText(from);
	const isDays = /T00:00/.test(from) && /T00:00/.test(until);
	if (!isDays) return `${timeText(from).replace(" UTC", "")} to ${timeText(until)}`;
	const last = new Date(Date.parse(until) - 1).toISOString().slice(0, 10);
	const first = from.slice(0, 10);
	return first === last ? `${first} UTC` : `${first} to ${last} UTC`;
}

/** Returns the oldest of some times in ms; null where none of them is known. */
export function oldestMs(times: readonly (string | null | undefined)[]): number | null {
	const known = times.flatMap((time) => (typeof time === "string" ? [Date.parse(time)] : []));
	return known.length === 0 ? null : Math.min(...known);
}

const formatOf = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat("en-US", options);
const WHOLE = formatOf({ maximumFractionDigits: 0 });
const CENTS = formatOf({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const TENTHS = formatOf({ maximumFractionDigits: 1 });
const PRECISE = formatOf({ maximumSignificantDigits: 4 });
const HUGE = formatOf({ notation: "compact", maximumFractionDigits: 1 });
const HUGE_MIN = 1e9;

/** Returns four significant digits of a small number, all whole digits of a larger one. */
function numberText(value: number): string {
	const size = Math.abs(value);
	if (size >= HUGE_MIN) return size < 1e15 ? HUGE.format(value) : value.toExponential(1);
	return (size >= 1_000 ? WHOLE : PRECISE).format(value);
}

function lengthOf(text: string): number {
	return [...text].length;
}

function cut(text: string, lengthMax: number): string {
	const letters = [...text];
	if (letters.length <= lengthMax) return text;
	return `${letters
		.slice(0, lengthMax - 1)
		.join("")
		.trimEnd()}…`;
}
