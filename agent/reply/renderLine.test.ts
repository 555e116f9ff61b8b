import { expect, test } from "bun:test";
import fc from "fast-check";
import twitter from "twitter-text";
import { renderLine } from "#agent/reply/renderLine.ts";
import { replyLength } from "#agent/reply/replyLength.ts";

const nowMs = 1_800_000_000_000;
const terms = { lengthMax: 200, asOfMs: null, nowMs };

test("[SOC-05] the age of the oldest figure stands at the end, in whole units", () => {
	const ages: [number, string][] = [
		[-5_000, "0 s ago"],
		[0, "0 s ago"],
		[12_999, "12 s ago"],
		[119_000, "119 s ago"],
		[180_000, "3 min ago"],
		[7_199_000, "119 min ago"],
		[7_200_000, "2 h ago"],
		[400_000_000, "4 d ago"],
	];
	for (const [ageMs, age] of ages) {
		const line = renderLine("Kiln Folk: 0.5 ETH", { ...terms, asOfMs: nowMs - ageMs });
		expect(line).toBe(`Kiln Folk: 0.5 ETH · ${age}`);
	}
	expect(renderLine("done", terms)).toBe("done");
});

test("what is too long is cut between words and keeps its age", () => {
	const line = renderLine(`${"word ".repeat(60)}123456`, { ...terms, asOfMs: nowMs });
	expect(line).toEndWith("word… · 0 s ago");
	expect(replyLength(line).weighted).toBeLessThanOrEqual(200);
	// A figure is never cut into another figure.
	expect(renderLine(`${"a ".repeat(97)}123456789`, terms)).toEndWith("a a…");
	const exact = "x".repeat(200);
	expect(renderLine(exact, terms)).toBe(exact);
	expect(renderLine(`${exact}y`, terms)).toBe(`${"x".repeat(198)}…`);
});

test("no line is longer than it may be, in code points and as the platform counts", () => {
	const text = fc.oneof(
		fc.string({ unit: "binary", maxLength: 500 }),
		fc.string({ unit: "grapheme", maxLength: 400 }),
		fc
			.array(fc.constantFrom("👩‍👩‍👧‍👦", "猫", "e\u0301", "a ", "evil.com"), { maxLength: 150 })
			.map((all) => all.join("")),
	);
	const ages = fc.option(fc.integer({ min: 0, max: 1e11 }));
	const check = fc.property(
		text,
		fc.integer({ min: 40, max: 250 }),
		ages,
		(one, lengthMax, age) => {
			const line = renderLine(one, { lengthMax, nowMs, asOfMs: age === null ? null : nowMs - age });
			expect([...line].length).toBeLessThanOrEqual(lengthMax);
			expect(twitter.parseTweet(line).weightedLength).toBeLessThanOrEqual(lengthMax);
			expect(line.isWellFormed()).toBe(true);
			if (age !== null) expect(line).toEndWith(" ago");
		},
	);
	fc.assert(check, { numRuns: 500, seed: 32 });
});
