import { expect, test } from "bun:test";
import { isPeriodName, periodName, periodOf } from "#core/period.ts";

// Guarantee: a period's name means one stretch of past time, in UTC, or none.

/** A Tuesday. */
const NOW = Date.parse("2026-03-10T14:37:20Z");

test.each([
	["30m", "2026-03-10T14:07:20", "2026-03-10T14:37:20"],
	["3d", "2026-03-07T14:37:20", "2026-03-10T14:37:20"],
	["3h-ago", "2026-03-10T11:37:20", "2026-03-10T11:37:20"],
	["yesterday-utc", "2026-03-09T00:00:00", "2026-03-10T00:00:00"],
	["yesterday-14:00-utc", "2026-03-09T14:00:00", "2026-03-09T14:00:00"],
	["today-09:30-utc", "2026-03-10T09:30:00", "2026-03-10T09:30:00"],
	["monday-utc", "2026-03-09T00:00:00", "2026-03-10T00:00:00"],
	["tuesday-utc", "2026-03-03T00:00:00", "2026-03-04T00:00:00"],
	["october-utc", "2025-10-01T00:00:00", "2025-11-01T00:00:00"],
	["march-utc", "2026-03-01T00:00:00", "2026-03-10T14:37:20"],
	["2025-12", "2025-12-01T00:00:00", "2026-01-01T00:00:00"],
	["2024-02-29", "2024-02-29T00:00:00", "2024-03-01T00:00:00"],
	["october-14-utc", "2025-10-14T00:00:00", "2025-10-15T00:00:00"],
	["march-9-utc", "2026-03-09T00:00:00", "2026-03-10T00:00:00"],
	["2026-03-01-23:59", "2026-03-01T23:59:00", "2026-03-01T23:59:00"],
	["since-monday-utc", "2026-03-09T00:00:00", "2026-03-10T14:37:20"],
	["since-2026-01-15", "2026-01-15T00:00:00", "2026-03-10T14:37:20"],
	["since-january-utc", "2026-01-01T00:00:00", "2026-03-10T14:37:20"],
	["all-time", "2016-03-02T14:37:20", "2026-03-10T14:37:20"],
])("%s is read as that period", (name, from, until) => {
	expect(isPeriodName(name)).toBe(true);
	const period = periodOf(name, NOW);
	const shown = period && [period.fromMs, period.untilMs].map((ms) => new Date(ms).toISOString());
	expect(shown).toEqual([from, until].map((time) => `${time}.000Z`));
});

test.each([
	"2026-02-30",
	"2026-04",
	"2026-03-11",
	"today-14:38-utc",
	"2025-06-31",
	"february-30-utc",
	"9999h0",
	"99999h",
	"2010-01",
	"0d",
	"3w",
	"october",
	"yesterday",
	"2026-13",
	"2026-03-10-24:00",
	"smarch-utc",
	"monday-25:00-utc",
	"since-2026-04",
	"since-3d",
	"since-monday",
	"since-since-monday-utc",
])("%s is no period that can be requested", (name) => {
	expect(periodOf(name, NOW)).toBeNull();
});

test("one length of time has one name", () => {
	const names = ["60m", "1d", "24h", "7d", "168h", "90m", "48h", "30d"].map(periodName);
	expect(names).toEqual(["1h", "24h", "24h", "7d", "7d", "90m", "2d", "30d"]);
	expect(["azuki", "12", "12x", "utc"].map(periodName)).toEqual([
		undefined,
		undefined,
		undefined,
		undefined,
	]);
});
