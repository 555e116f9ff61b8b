import { expect, test } from "bun:test";
import { judgeFeed } from "#plugins/trading/prices/judgeFeed.ts";
import { marketHours } from "#plugins/trading/prices/marketHours.ts";

// Guarantee: a feed's answer is a current price only while market and feed move; a weekend is no
// fault, and a feed that stops at noon is one.

const HOUR = 3_600_000;
const WEDNESDAY_NOON = Date.parse("2026-11-18T17:00:00Z");
const SUNDAY_NOON = Date.parse("2026-11-22T17:00:00Z");
const SUNDAY_OPENING = Date.parse("2026-11-23T01:00:00Z");
const FRIDAY_CLOSING = Date.parse("2026-11-21T01:00:00Z");
const hours = marketHours("us_equities_24_5");
const silentMs = 3 * HOUR;

const of = (updatedAtMs: number) => ({ updatedAtMs });
const judge = (own: number | null, others: (number | null)[], nowMs: number) =>
	judgeFeed(
		own === null ? null : of(own),
		others.map((other) => (other === null ? null : of(other))),
		{ nowMs, hours, silentMs },
	);

test("a feed that updates while the market is open is the price, with its age", () => {
	const now = WEDNESDAY_NOON;
	expect(judge(now - HOUR, [now, now], now)).toEqual({ kind: "open", ageMs: HOUR });
	expect(judge(now + 2_000, [now], now)).toEqual({ kind: "open", ageMs: 0 });
});

test("on a weekend it is the last price, however old, and never a fault", () => {
	const closing = FRIDAY_CLOSING;
	const ageMs = SUNDAY_NOON - closing;
	expect(judge(closing, [closing, closing], SUNDAY_NOON)).toEqual({ kind: "closed", ageMs });
	expect(judge(closing, [], SUNDAY_NOON)).toEqual({ kind: "closed", ageMs });
});

test("a feed that is silent while half of its cohort updates is not trusted", () => {
	const now = WEDNESDAY_NOON;
	const old = now - silentMs - 1;
	expect(judge(old, [now, now, old], now)).toEqual({ kind: "silent" });
	expect(judge(old, [now, old], now)).toEqual({ kind: "silent" });
	expect(judge(old, [now, old, old], now)).toMatchObject({ kind: "open" });
	expect(judge(now - silentMs, [now, now, now], now)).toMatchObject({ kind: "open" });
});

test("where all are silent the market stands still, whatever the calendar says", () => {
	const now = WEDNESDAY_NOON;
	const old = now - silentMs - 1;
	expect(judge(old, [old, old, null], now)).toEqual({ kind: "closed", ageMs: silentMs + 1 });
});

test("after an opening a feed without an update still shows the last session's price", () => {
	const before = FRIDAY_CLOSING - HOUR;
	const soon = SUNDAY_OPENING + 60_000;
	expect(judge(before, [soon, soon], soon)).toMatchObject({ kind: "closed" });
	const later = SUNDAY_OPENING + HOUR;
	expect(judge(before, [later, later, before], later)).toEqual({ kind: "silent" });
	expect(judge(before, [before, before], later)).toMatchObject({ kind: "closed" });
});

test("without a cohort a feed must update once in 25 hours", () => {
	const now = WEDNESDAY_NOON;
	expect(judge(now - 25 * HOUR, [], now)).toMatchObject({ kind: "open" });
	expect(judge(now - 25 * HOUR - 1, [null, null], now)).toEqual({ kind: "silent" });
	const tuesday = SUNDAY_OPENING + 26 * HOUR;
	expect(judge(FRIDAY_CLOSING, [], tuesday)).toEqual({ kind: "silent" });
});

test("a feed without a valid answer has no price", () => {
	expect(judge(null, [WEDNESDAY_NOON], WEDNESDAY_NOON)).toEqual({ kind: "silent" });
});
