// Reads a length of time or a past time in English, as the name that periods have.

import { NUMBER_WORDS, readLooseWindow, TODAY } from "#agent/grammar/readSlot.ts";
import { setOf, type Words } from "#agent/grammar/splitWords.ts";
import { ALL_TIME, isPeriodName, lengthName, MONTHS, periodName, WEEKDAYS } from "#core/period.ts";
import type { Slot } from "#core/plugin/Tool.ts";

/** A period's name, and how many words it took. */
type Read = { value: string; used: number };

type At = { words: Words; to: number };

const LEADS = setOf(
	"in on over during for within from at of the last past previous preceding trailing this",
);
/** Words in front of a bare name of a month that make it the month, and not a name or a verb. */
const MONTH_LEADS = setOf("in during for last of");
/** A length of time behind one of these may be to come: `in 3 hours`. */
const COMING = setOf("in at on from");
const LEADS_MAX = 3;

/** Matches a count in front of a unit of time: `3`, `three`, `half an`, `a couple of`. */
const COUNTED =
	/^(?:a (?=couple))?([1-9]\d{0,3}|half|couple|[a-z-]+) (?:(?<=half )an? |(?<=couple )of )?/;

const COUNTS = new Map([...NUMBER_WORDS, ["half", 0.5], ["a", 1], ["an", 1], ["couple", 2]]);

const MINUTES = new Map(
	Object.entries({
		1: "m min mins minute minutes",
		60: "h hr hrs hour hours",
		1440: "d day days",
		10080: "w wk wks week weeks",
		43200: "mo month months",
	}).flatMap(([minutes, words]) =>
		words.split(" ").map((word): [string, number] => [word, Number(minutes)]),
	),
);

const SHORT_MONTHS = new Map(
	[...MONTHS.keys()].flatMap((name) => [
		[name, name],
		[name.slice(0, 3), name],
		...(name === "september" ? [["sept", name]] : []),
	]) as [string, string][],
);

/**
 * Reads a period that begins at `at`: `last half hour` is `30m`, `in october` is `october-utc`,
 * `yesterday at 14:00` is `yesterday-14:00-utc`. Undefined where none begins there. A time without
 * a zone is UTC.
 */
export function readPeriod(words: Words, at: number, to: number): Read | undefined {
	const ever = EVER.find((text) => text.every((word, n) => words.low[at + n] === word));
	if (ever) return { value: ALL_TIME, used: ever.length };
	if (words.low[at] === "ytd") return { value: "since-january-utc", used: 1 };
	if (words.low[at] === "since") return since({ words, to }, at + 1);
	let from = at;
	while (from < to && from - at < LEADS_MAX && LEADS.has(words.low[from] ?? "")) from += 1;
	if (from >= to || words.kinds[from] !== "word") return undefined;
	const lead = words.low[from - 1] ?? "";
	const here = { words, to };
	const found =
		date(here, from) ??
		named(here, from) ??
		(COMING.has(lead) ? undefined : length(here, from)) ??
		month(here, from, MONTH_LEADS.has(lead)) ??
		readLooseWindow(words, from, to);
	return found && { value: found.value, used: from - at + found.used };
}

/** Reads what begins a time until now: `since monday`, `since the 1 october`, `since january`. */
function since(here: At, at: number): Read | undefined {
	const from = here.words.low[at] === "the" || here.words.low[at] === "last" ? at + 1 : at;
	if (from >= here.to || here.words.low[from] === "yesterday") return undefined;
	const found = date(here, from) ?? month(here, from, true);
	return found && { value: `since-${found.value}`, used: from - at + 1 + found.used };
}

const EVER = ["ever", "of all time", "all time"].map((text) => text.split(" "));

/** Reads a window or a period as people say it; undefined for other slots, and where none is. */
export function readLooseTime(slot: Slot, words: Words, at: number, to: number): Read | undefined {
	if (slot.kind === "window") return readLooseWindow(words, at, to);
	if (slot.kind !== "period") return undefined;
	const found = readPeriod(words, at, to);
	return slot.isPast && found?.value === TODAY ? undefined : found;
}

function named({ words }: At, at: number): Read | undefined {
	const value = periodName(words.low[at] ?? "");
	return value === undefined ? undefined : { value, used: 1 };
}

/** Reads `half hour`, `3 days`, `48h`, `2 weeks`, and each of them with `ago`. */
function length({ words: { low }, to }: At, at: number): Read | undefined {
	const word = low[at] ?? "";
	const [, digits, unit] = /^([1-9]\d{0,3})-?([a-z]+)$/.exec(word) ?? [];
	if (digits !== undefined && unit !== undefined) {
		return lengthRead({ low, to, at }, { count: Number(digits), unit, next: at + 1 });
	}
	const text = low.slice(at, at + 4).join(" ");
	const [phrase = "", name = ""] = COUNTED.exec(text) ?? [];
	const count = /^\d/.test(name) ? Number(name) : COUNTS.get(name);
	if (count === undefined) return undefined;
	const next = at + phrase.trim().split(" ").length;
	return lengthRead({ low, to, at }, { count, unit: low[next] ?? "", next: next + 1 });
}

function lengthRead(
	{ low, to, at }: { low: readonly string[]; to: number; at: number },
	{ count, unit, next }: { count: number; unit: string; next: number },
): Read | undefined {
	const minutes = count * (MINUTES.get(unit) ?? 0);
	if (next > to || minutes < 1 || !Number.isInteger(minutes)) return undefined;
	const isAgo = next < to && low[next] === "ago";
	const name = isAgo ? `${lengthName(minutes)}-ago` : lengthName(minutes);
	return isPeriodName(name) ? { value: name, used: next - at + (isAgo ? 1 : 0) } : undefined;
}

/** Reads a day, with or without a time of it: `yesterday at 2pm`, `oct 14`, `14 october`. */
function date(here: At, at: number): Read | undefined {
	const { low } = here.words;
	const word = low[at] ?? "";
	if (word === "yesterday" || WEEKDAYS.has(word)) {
		return withTime(here, at, { value: word, used: 1 });
	}
	if (word === "today") {
		const timed = withTime(here, at, { value: word, used: 1 });
		return timed && timed.used > 1 ? timed : undefined;
	}
	if (/^\d{4}-\d\d-\d\d$/.test(word)) return withTime(here, at, { value: word, used: 1 });
	const day = (text: string | undefined) =>
		/^([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$/.exec(text ?? "");
	const isMonthFirst = SHORT_MONTHS.has(word) && at + 1 < here.to;
	const [name, number] = isMonthFirst ? [word, low[at + 1]] : [low[at + 1], word];
	const month = SHORT_MONTHS.get(name ?? "");
	const [, count] = day(number) ?? [];
	if (month === undefined || count === undefined || at + 2 > here.to) return undefined;
	const [, year] = at + 2 < here.to ? (/^(20\d\d)$/.exec(low[at + 2] ?? "") ?? []) : [];
	const ofYear = `${year}-${two((MONTHS.get(month) ?? 0) + 1)}-${two(Number(count))}`;
	const value = year === undefined ? `${month}-${count}` : ofYear;
	return withTime(here, at, { value, used: year === undefined ? 2 : 3 });
}

function withTime(here: At, at: number, { value, used }: Read): Read | undefined {
	const { low } = here.words;
	const isAt = low[at + used] === "at" || low[at + used] === "around";
	const first = at + used + (isAt ? 1 : 0);
	const time = first < here.to ? timeAt(here, first) : undefined;
	// `yesterday at dawn` is another time than the whole day.
	if (time === undefined && isAt) return undefined;
	const isIso = /^\d{4}/.test(value);
	if (time === undefined) return { value: isIso ? value : `${value}-utc`, used };
	const last = first + time.used;
	const hasZone = last < here.to && (low[last] === "utc" || low[last] === "gmt");
	const name = `${value}-${time.value}${isIso ? "" : "-utc"}`;
	return { value: name, used: last - at + (hasZone ? 1 : 0) };
}

/** Reads `14:00`, `2pm`, `2:30 pm`, `noon` and `midnight`. */
function timeAt({ words: { low }, to }: At, at: number): Read | undefined {
	const word = low[at] ?? "";
	if (word === "noon") return { value: "12:00", used: 1 };
	if (word === "midnight") return { value: "00:00", used: 1 };
	const [, hours = "", minutes, half] = /^(\d{1,2})(?::(\d\d))?(am|pm)?$/.exec(word) ?? [];
	const after = at + 1 < to ? (low[at + 1] ?? "") : "";
	const isApart = half === undefined && (after === "am" || after === "pm");
	const part = half ?? (isApart ? after : undefined);
	if (hours === "" || (minutes === undefined && part === undefined)) return undefined;
	const typed = Number(hours);
	if (part !== undefined && (typed < 1 || typed > 12)) return undefined;
	const hour = part === undefined ? typed : (typed % 12) + (part === "pm" ? 12 : 0);
	if (hour > 23 || Number(minutes ?? 0) > 59) return undefined;
	return { value: `${two(hour)}:${minutes ?? "00"}`, used: isApart ? 2 : 1 };
}

/** Reads `october`, `in may` and `october 2026`. */
function month({ words: { low }, to }: At, at: number, isLed: boolean): Read | undefined {
	const word = low[at] ?? "";
	const name = SHORT_MONTHS.get(word);
	if (name === undefined) return undefined;
	const [, year] = at + 1 < to ? (/^(20\d\d)$/.exec(low[at + 1] ?? "") ?? []) : [];
	if (year !== undefined) return { value: `${year}-${two((MONTHS.get(name) ?? 0) + 1)}`, used: 2 };
	const isVerb = name === "may" || name === "march" || word !== name;
	return isLed || !isVerb ? { value: `${name}-utc`, used: 1 } : undefined;
}

function two(number: number): string {
	return String(number).padStart(2, "0");
}
