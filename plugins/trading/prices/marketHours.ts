// Computes when US stocks are traded.

import { DAY_MS, HOUR_MS } from "#core/time.ts";

/** Says whether a market is open at a time, and since when. */
export type MarketHours = {
	isOpen(atMs: number): boolean;
	/** Returns when the session that is open at this time began; null where none is open. */
	openedAt(atMs: number): number | null;
};

type Day = { year: number; month: number; day: number };

export const MARKET_HOURS = ["us_equities_24_5", "always"] as const;

/** A trading day begins at 20:00 New York time on the evening before, and ends at 20:00. */
const TURN_HOUR = 20;
const TIME_ZONE = "America/New_York";

const formatter = new Intl.DateTimeFormat("en-US", {
	timeZone: TIME_ZONE,
	hourCycle: "h23",
	...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
	second: "numeric",
});

const ALWAYS: MarketHours = { isOpen: () => true, openedAt: () => null };

/**
 * US equities around the clock on weekdays: a session of 24 hours for each trading day, from 20:00
 * on the evening before. Without weekends and the exchange's holidays. Early closes count as open:
 * then the silence of all feeds shows that the market is closed.
 */
const US_EQUITIES: MarketHours = {
	isOpen: (atMs) => isTradingDay(tradingDayOf(atMs)),
	openedAt(atMs) {
		let day = tradingDayOf(atMs);
		if (!isTradingDay(day)) return null;
		// Sessions without a pause between them are one.
		let days = 0;
		while (isTradingDay(shifted(day, -1))) {
			day = shifted(day, -1);
			days++;
		}
		return turnOf(atMs) - days * DAY_MS;
	},
};

/**
 * Returns the hours by name. `always` has no sessions: only silent feeds show that the market
 * rests.
 */
export function marketHours(name: (typeof MARKET_HOURS)[number]): MarketHours {
	return name === "always" ? ALWAYS : US_EQUITIES;
}

function clockAt(atMs: number): Day & { hour: number; msOfDay: number } {
	const parts = new Map(formatter.formatToParts(atMs).map(({ type, value }) => [type, value]));
	const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
	const hour = of("hour");
	const msOfDay = hour * HOUR_MS + of("minute") * 60_000 + of("second") * 1_000;
	return { year: of("year"), month: of("month"), day: of("day"), hour, msOfDay };
}

/** Returns the trading day of a time: tomorrow's from 20:00 on. */
function tradingDayOf(atMs: number): Day {
	const { hour, ...today } = clockAt(atMs);
	return hour >= TURN_HOUR ? shifted(today, 1) : today;
}

/**
 * Returns when the trading day of a time began, to the second; one hour off on days when the clocks
 * change.
 */
function turnOf(atMs: number): number {
	const { hour, msOfDay } = clockAt(atMs);
	const since = hour >= TURN_HOUR ? msOfDay - TURN_HOUR * HOUR_MS : msOfDay + 4 * HOUR_MS;
	return atMs - since;
}

function shifted({ year, month, day }: Day, days: number): Day {
	const date = new Date(Date.UTC(year, month - 1, day + days));
	return {
		year: date.getUTCFullYear(),
		month: date.getUTCMonth() + 1,
		day: date.getUTCDate(),
	};
}

function isTradingDay(day: Day): boolean {
	const weekday = weekdayOf(day);
	return weekday !== 0 && weekday !== 6 && !isHoliday(day);
}

function weekdayOf({ year, month, day }: Day): number {
	return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

/**
 * Returns true for holidays of the New York Stock Exchange (Rule 7.2). A holiday on a Sunday moves
 * to Monday, one on a Saturday to Friday, except New Year's Day. Days of mourning are not known in
 * advance: then an operator, or the silence of all feeds, closes the market.
 */
function isHoliday(day: Day): boolean {
	const { year } = day;
	const fixed = [
		{ year, month: 6, day: 19 },
		{ year, month: 7, day: 4 },
		{ year, month: 12, day: 25 },
	].map(observed);
	const newYear = { year, month: 1, day: 1 };
	const moving = [
		nthWeekday({ year, month: 1 }, { weekday: 1, nth: 3 }),
		nthWeekday({ year, month: 2 }, { weekday: 1, nth: 3 }),
		shifted(easterOf(year), -2),
		lastMonday(year, 5),
		nthWeekday({ year, month: 9 }, { weekday: 1, nth: 1 }),
		nthWeekday({ year, month: 11 }, { weekday: 4, nth: 4 }),
		weekdayOf(newYear) === 0 ? shifted(newYear, 1) : newYear,
	];
	return [...fixed, ...moving].some((one) => one.month === day.month && one.day === day.day);
}

function observed(day: Day): Day {
	const weekday = weekdayOf(day);
	if (weekday === 6) return shifted(day, -1);
	return weekday === 0 ? shifted(day, 1) : day;
}

function nthWeekday(
	{ year, month }: Pick<Day, "year" | "month">,
	{ weekday, nth }: { weekday: number; nth: number },
): Day {
	const first = weekdayOf({ year, month, day: 1 });
	return { year, month, day: 1 + ((weekday - first + 7) % 7) + (nth - 1) * 7 };
}

function lastMonday(year: number, month: number): Day {
	const last = shifted({ year, month: month + 1, day: 1 }, -1);
	return shifted(last, -((weekdayOf(last) + 6) % 7));
}

/** Returns Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher). */
function easterOf(year: number): Day {
	const a = year % 19;
	const b = Math.floor(year / 100);
	const c = year % 100;
	const d = Math.floor((8 * b + 13) / 25);
	const h = (19 * a + b - Math.floor(b / 4) - d + 15) % 30;
	const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
	const m = Math.floor((a + 11 * h + 22 * l) / 451);
	const sum = h + l - 7 * m + 114;
	return { year, month: Math.floor(sum / 31), day: (sum % 31) + 1 };
}
