import { expect, test } from "bun:test";
import { marketHours } from "#plugins/trading/prices/marketHours.ts";

const hours = marketHours("us_equities_24_5");
const at = (text: string) => Date.parse(text);
const opened = (text: string) => {
	const openedAtMs = hours.openedAt(at(text));
	return openedAtMs === null ? null : new Date(openedAtMs).toISOString();
};

test("a trading week runs from Sunday to Friday, 20:00 in New York", () => {
	// Winter: New York is five hours behind UTC.
	expect(hours.isOpen(at("2026-11-16T00:59:59Z"))).toBe(false);
	expect(hours.isOpen(at("2026-11-16T01:00:00Z"))).toBe(true);
	expect(hours.isOpen(at("2026-11-18T08:00:00Z"))).toBe(true);
	expect(hours.isOpen(at("2026-11-21T00:59:59Z"))).toBe(true);
	expect(hours.isOpen(at("2026-11-21T01:00:00Z"))).toBe(false);
	expect(hours.isOpen(at("2026-11-22T12:00:00Z"))).toBe(false);
	// Summer: four hours.
	expect(hours.isOpen(at("2026-08-09T23:59:59Z"))).toBe(false);
	expect(hours.isOpen(at("2026-08-10T00:00:00Z"))).toBe(true);
	expect(hours.isOpen(at("2026-08-15T00:00:00Z"))).toBe(false);
});

test("the start of a session is counted through consecutive trading days", () => {
	expect(opened("2026-11-18T15:00:00Z")).toBe("2026-11-16T01:00:00.000Z");
	expect(opened("2026-11-16T01:00:00Z")).toBe("2026-11-16T01:00:00.000Z");
	expect(opened("2026-11-22T12:00:00Z")).toBeNull();
	// The session of the day after Thanksgiving begins on the holiday's evening.
	expect(opened("2026-11-27T15:00:00Z")).toBe("2026-11-27T01:00:00.000Z");
});

/** The holidays that the exchange announced for 2025 to 2027. */
const holidays = [
	...["2025-01-01", "2025-01-20", "2025-02-17", "2025-04-18", "2025-05-26", "2025-06-19"],
	...["2025-07-04", "2025-09-01", "2025-11-27", "2025-12-25", "2026-01-01", "2026-01-19"],
	...["2026-02-16", "2026-04-03", "2026-05-25", "2026-06-19", "2026-07-03", "2026-09-07"],
	...["2026-11-26", "2026-12-25", "2027-01-01", "2027-01-18", "2027-02-15", "2027-03-26"],
	...["2027-05-31", "2027-06-18", "2027-07-05", "2027-09-06", "2027-11-25", "2027-12-24"],
];

test("the market is closed on the exchange's holidays, and on no other weekday in three years", () => {
	const closed: string[] = [];
	for (let day = at("2025-01-01T17:00:00Z"); day < at("2028-01-01T00:00:00Z"); day += 86_400_000) {
		const weekday = new Date(day).getUTCDay();
		const isWeekday = weekday !== 0 && weekday !== 6;
		if (isWeekday && !hours.isOpen(day)) closed.push(new Date(day).toISOString().slice(0, 10));
	}
	expect(closed).toEqual(holidays);
});

test("a market without hours is always open", () => {
	const always = marketHours("always");
	expect(always.isOpen(at("2026-11-22T12:00:00Z"))).toBe(true);
	expect(always.openedAt(at("2026-11-22T12:00:00Z"))).toBeNull();
});
