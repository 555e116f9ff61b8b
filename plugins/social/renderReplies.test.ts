import { expect, test } from "bun:test";
import { lengthOf } from "#agent/contract.ts";
import { createUnlike } from "#plugins/social/renderReplies.ts";

const NOON_MS = Date.UTC(2026, 10, 25, 12);
let nowMs = NOON_MS;
const open = (lengthMax = 250) => {
	const unlike = createUnlike({ clock: { nowMs: () => nowMs }, lengthMax });
	let replies = 0;
	return (text: string, id = `reply ${++replies}`, isRefused = false) =>
		unlike(text, { id, isRefused });
};

test("a new text is posted unchanged, and the time is added to a repeated one", () => {
	const unlike = open();
	nowMs = NOON_MS;
	expect(unlike("I could not read that.")).toBe("I could not read that.");
	expect(unlike("Something else.")).toBe("Something else.");
	expect(unlike("I could not read that.")).toBe("I could not read that. · 12:00:00 UTC");
	expect(unlike("I could not read that.")).toBe("I could not read that. · 12:00:00 UTC (2)");
	nowMs += 1_000;
	expect(unlike("I could not read that.")).toBe("I could not read that. · 12:00:01 UTC");
});

test("a reply keeps its text until X refuses it as a duplicate", () => {
	const unlike = open();
	nowMs = NOON_MS;
	unlike("Help.");
	const first = unlike("Help.", "mine");
	nowMs += 5_000;
	expect(unlike("Help.", "mine")).toBe(first);
	expect(unlike("Help.", "mine", true)).toBe("Help. · 12:00:05 UTC");
});

test("many equal replies get different texts, and none is too long", () => {
	const unlike = open(200);
	const long = `${"word ".repeat(39)}end`;
	const texts = Array.from({ length: 500 }, () => unlike(long));
	expect(new Set(texts).size).toBe(500);
	for (const text of texts) expect(lengthOf(text).weighted).toBeLessThanOrEqual(200);
});
