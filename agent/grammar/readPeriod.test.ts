import { expect, test } from "bun:test";
import { readPeriod } from "#agent/grammar/readPeriod.ts";
import { splitWords } from "#agent/grammar/splitWords.ts";

// Guarantee: a time in English is one period's name, or it is not read.

function read(text: string): [string, number] | undefined {
	const words = splitWords(text);
	if (words.kind !== "words") return undefined;
	const found = readPeriod(words, 0, words.low.length);
	return found && [found.value, found.used];
}

test.each([
	["last half hour", "30m"],
	["in the last half an hour", "30m"],
	["past 90 minutes", "90m"],
	["the last 3 days", "3d"],
	["48h", "2d"],
	["2 weeks", "14d"],
	["a couple of hours", "2h"],
	["three hours ago", "3h-ago"],
	["a week ago", "7d-ago"],
	["30 days", "30d"],
	["this week", "7d"],
	["today", "24h"],
	["yesterday", "yesterday-utc"],
	["yesterday at 14:00", "yesterday-14:00-utc"],
	["yesterday 2 pm utc", "yesterday-14:00-utc"],
	["yesterday at noon", "yesterday-12:00-utc"],
	["today at 9:05am", "today-09:05-utc"],
	["on monday", "monday-utc"],
	["in october", "october-utc"],
	["october", "october-utc"],
	["in may", "may-utc"],
	["oct 2026", "2026-10"],
	["oct 14", "october-14-utc"],
	["14th october", "october-14-utc"],
	["october 14 2025", "2025-10-14"],
	["on 2026-10-14 at 12am", "2026-10-14-00:00"],
	["2026-10-14", "2026-10-14"],
	["2026-10", "2026-10"],
	["since monday", "since-monday-utc"],
	["since october", "since-october-utc"],
	["since the 14 october", "since-october-14-utc"],
	["since 2026-10-14", "since-2026-10-14"],
	["ever", "all-time"],
	["of all time", "all-time"],
])("%s", (text, value) => {
	expect(read(text)).toEqual([value, text.split(" ").length]);
});

test.each([
	"may",
	"march",
	"oct",
	"in 3 hours",
	"yesterday at dawn",
	"yesterday at 25:00",
	"13 pm",
	"0 days",
	"half",
	"half price",
	"3",
	"a",
	"azuki",
	"next week",
	"since yesterday",
	"since azuki",
	"since 3 days",
])("a text that is no period, or an ambiguous one, is refused: %s", (text) => {
	expect(read(text)).toBeUndefined();
});
