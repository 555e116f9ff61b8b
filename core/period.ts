// Reads lengths of time and past times by their names, and returns the time that they mean.

import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";

/** A stretch of past time, in UTC; a moment has one time as both ends. */
export type Period = { fromMs: number; untilMs: number };

type Names = ReadonlyMap<string, number>;

export const MONTHS: Names = numbered(
	"january february march april may june july august september october november december",
);
export const WEEKDAYS: Names = numbered("sunday monday tuesday wednesday thursday friday saturday");

/** Limits how far back a period may begin: ten years, more than any chain with NFTs is old. */
const PAST_MAX_MS = 3_660 * DAY_MS;

const UNIT_MS: ReadonlyMap<string, number> = new Map([
	["m", MINUTE_MS],
	["h", HOUR_MS],
	["d", DAY_MS],
]);

const DAY_MINUTES = DAY_MS / MINUTE_MS;

const LENGTH = /^([1-9]\d{0,4})([mhd])$/;
const AGO = /^([1-9]\d{0,4})([mhd])-ago$/;
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const DATE = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const AT = /-([01]\d|2[0-3]):([0-5]\d)$/;
const ZONE = /-utc$/;
const SINCE = /^since-/;
/** The period that begins before all that anybody could know. */
export const ALL_TIME = "all-time";

/**
 * Returns the time that the name of a period means; null for what is none, for a date that no
 * calendar has, for what begins after now, and for more than ten years ago.
 *
 * `30m`, `3d`: so long until now. `3h-ago`: a moment. `2026-10`, `october-utc`: a month.
 * `2026-10-14`, `yesterday-utc`, `monday-utc`, `october-14-utc`: a day. A day with a time of it is
 * a moment: `yesterday-14:00-utc`. A name without a year is the last one that has begun, and a
 * day of the week the last one that is over. `since-…`: from its beginning until now; `all-time`:
 * all that anybody could know.
 */
export function periodOf(name: string, nowMs: number): Period | null {
	if (!isPeriodName(name)) return null;
	const since = SINCE.test(name);
	const own = lengthOf(name, nowMs) ?? calendarOf(name.replace(SINCE, ""), nowMs);
	const found = since && own !== null ? { ...own, untilMs: nowMs } : own;
	if (found === null || found.fromMs > nowMs || found.fromMs < nowMs - PAST_MAX_MS) return null;
	return { fromMs: found.fromMs, untilMs: Math.min(found.untilMs, nowMs) };
}

/** Returns whether a word has the form of a period's name, at any time. */
export function isPeriodName(word: string): boolean {
	if (word === ALL_TIME) return true;
	if (SINCE.test(word)) return isCalendarName(word.replace(SINCE, ""));
	return isCalendarName(word) || LENGTH.test(word) || AGO.test(word);
}

function isCalendarName(word: string): boolean {
	if (MONTH.test(word)) return true;
	if (DATE.test(word.replace(AT, ""))) return true;
	if (!ZONE.test(word)) return false;
	const day = word.replace(ZONE, "");
	if (MONTHS.has(day) || DATE.test(day.replace(AT, ""))) return true;
	return isDayName(day.replace(AT, ""));
}

/**
 * Returns the one name of the period that a word names: `60m` is `1h`, and `1d` is `24h`. Undefined
 * for any other word.
 */
export function periodName(word: string): string | undefined {
	if (!isPeriodName(word)) return undefined;
	const minutes = minutesOf(word);
	return minutes === undefined ? word : lengthName(minutes);
}

/** Returns a length of time until now, such as `24h`, in minutes; undefined for what is none. */
export function minutesOf(name: string): number | undefined {
	const [, count, unit = ""] = LENGTH.exec(name) ?? [];
	const unitMs = UNIT_MS.get(unit);
	return unitMs === undefined ? undefined : (Number(count) * unitMs) / MINUTE_MS;
}

/** Returns the one name of a length of time until now. */
export function lengthName(minutes: number): string {
	if (minutes % DAY_MINUTES === 0 && minutes > DAY_MINUTES) return `${minutes / DAY_MINUTES}d`;
	return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

function isDayName(day: string): boolean {
	if (day === "yesterday" || day === "today" || WEEKDAYS.has(day)) return true;
	const [, month = "", date = ""] = /^([a-z]+)-([1-9]|[12]\d|3[01])$/.exec(day) ?? [];
	return MONTHS.has(month) && date !== "";
}

function lengthOf(name: string, nowMs: number): Period | null {
	if (name === ALL_TIME) return { fromMs: nowMs - PAST_MAX_MS, untilMs: nowMs };
	const [, count, unit = ""] = LENGTH.exec(name) ?? AGO.exec(name) ?? [];
	const unitMs = UNIT_MS.get(unit);
	if (count === undefined || unitMs === undefined) return null;
	const fromMs = nowMs - Number(count) * unitMs;
	return { fromMs, untilMs: AGO.test(name) ? fromMs : nowMs };
}

function calendarOf(name: string, nowMs: number): Period | null {
	const bare = name.replace(ZONE, "");
	const month = monthOf(bare, nowMs);
	if (month) return month;
	const [at, hours, minutes] = AT.exec(bare) ?? [];
	const dayMs = dayOf(at === undefined ? bare : bare.slice(0, -at.length), nowMs);
	if (dayMs === null) return null;
	if (at === undefined) return { fromMs: dayMs, untilMs: dayMs + DAY_MS };
	const atMs = dayMs + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
	return { fromMs: atMs, untilMs: atMs };
}

function monthOf(bare: string, nowMs: number): Period | null {
	const now = new Date(nowMs);
	const [, year, written] = MONTH.exec(bare) ?? [];
	const month = written === undefined ? MONTHS.get(bare) : Number(written) - 1;
	if (month === undefined) return null;
	const thisYear = now.getUTCFullYear();
	const lastYear = month <= now.getUTCMonth() ? thisYear : thisYear - 1;
	const of = year === undefined ? lastYear : Number(year);
	return { fromMs: Date.UTC(of, month), untilMs: Date.UTC(of, month + 1) };
}

/** Returns when a day begins, in ms; null where no calendar has it. */
function dayOf(day: string, nowMs: number): number | null {
	const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
	if (day === "today") return todayMs;
	if (day === "yesterday") return todayMs - DAY_MS;
	const weekday = WEEKDAYS.get(day);
	if (weekday !== undefined) {
		const since = (new Date(todayMs).getUTCDay() - weekday + 7) % 7;
		return todayMs - (since === 0 ? 7 : since) * DAY_MS;
	}
	const [, year, month, date] = DATE.exec(day) ?? [];
	if (date !== undefined) return dateOf(Number(year), Number(month) - 1, Number(date));
	const [, name = "", number] = /^([a-z]+)-(\d{1,2})$/.exec(day) ?? [];
	const named = MONTHS.get(name);
	if (named === undefined) return null;
	const thisYear = new Date(nowMs).getUTCFullYear();
	const own = dateOf(thisYear, named, Number(number));
	return own !== null && own <= nowMs ? own : dateOf(thisYear - 1, named, Number(number));
}

function dateOf(year: number, month: number, date: number): number | null {
	const ms = Date.UTC(year, month, date);
	return new Date(ms).getUTCDate() === date ? ms : null;
}

function numbered(names: string): Names {
	return new Map(names.split(" ").map((name, at) => [name, at]));
}
