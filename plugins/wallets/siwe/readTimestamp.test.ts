import { expect, test } from "bun:test";
import fc from "fast-check";
import { readTimestamp } from "#plugins/wallets/siwe/readTimestamp.ts";

test("[TRD-10] a timestamp means the same moment in every zone it is written in", () => {
	const noon = Date.UTC(2021, 8, 30, 12);
	expect(readTimestamp("2021-09-30T12:00:00Z")).toBe(noon);
	expect(readTimestamp("2021-09-30T12:00:00.000Z")).toBe(noon);
	expect(readTimestamp("2021-09-30T10:00:00-02:00")).toBe(noon);
	expect(readTimestamp("2021-09-30T17:30:00+05:30")).toBe(noon);
	expect(readTimestamp("2021-09-30T12:00:00.1239999Z")).toBe(noon + 123);
	expect(readTimestamp("2024-02-29T00:00:00Z")).toBe(Date.UTC(2024, 1, 29));
});

test("[TRD-10] what is no moment of RFC 3339 is none", () => {
	const bad = [
		"",
		"now",
		"2021",
		"2021-09-30",
		"2021-09-30T12:00Z",
		"2021-09-30T12:00:00",
		"2021-09-30 12:00:00Z",
		"2021-09-30t12:00:00z",
		"2021-13-01T00:00:00Z",
		"2021-00-01T00:00:00Z",
		"2021-02-29T00:00:00Z",
		"2021-02-30T00:00:00Z",
		"2021-04-31T00:00:00Z",
		"2021-09-30T24:00:00Z",
		"2021-09-30T12:60:00Z",
		"2021-09-30T12:00:60Z",
		"2021-09-30T12:00:00.Z",
		"2021-09-30T12:00:00,5Z",
		"2021-09-30T12:00:00+24:00",
		"2021-09-30T12:00:00+02:60",
		"2021-09-30T12:00:00+0200",
		"2021-09-30T12:00:00+02",
		"2021-09-30T12:00:00Z ",
		" 2021-09-30T12:00:00Z",
		"+002021-09-30T12:00:00Z",
		"2021-9-30T12:00:00Z",
		"Thu, 30 Sep 2021 12:00:00 GMT",
		"1632999600",
		"２021-09-30T12:00:00Z",
	];
	expect(bad.filter((text) => readTimestamp(text) !== null)).toEqual([]);
});

test("what a date writes of itself is read back to the millisecond", () => {
	const dates = fc.date({
		min: new Date("1000-01-01T00:00:00Z"),
		max: new Date("9999-12-31T23:59:59Z"),
		noInvalidDate: true,
	});
	fc.assert(
		fc.property(dates, (date) => expect(readTimestamp(date.toISOString())).toBe(date.getTime())),
	);
});
