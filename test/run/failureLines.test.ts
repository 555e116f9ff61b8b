import { expect, test } from "bun:test";
import fc from "fast-check";
import { failureLines } from "#test/run/failureLines.ts";

// Guarantee: the few lines that are shown of a failure are those that tell what happened.

const values = `AssertionError: expect(received).toBe(expected)

Expected: 2
Received: 1

      at <anonymous> (/work/a.test.ts:10:35)
      at runTransaction (/work/core/db/openDatabase.ts:114:24)
`;

test("of two values both are shown, and the place", () => {
	expect(failureLines(values, 6)).toEqual([
		"AssertionError: expect(received).toBe(expected)",
		"Expected: 2",
		"Received: 1",
		"at <anonymous> (/work/a.test.ts:10:35)",
	]);
});

test("of a long difference the lines that differ are shown", () => {
	const same = Array.from({ length: 30 }, (_, place) => `    ${place},`).join("\n");
	const detail = `AssertionError: expect(received).toEqual(expected)\n\n  [\n${same}
-   0,\n+   20,\n  ]\n\n- Expected  - 1\n+ Received  + 1\n\n      at a.test.ts:9:67\n`;
	expect(failureLines(detail, 6)).toEqual([
		"AssertionError: expect(received).toEqual(expected)",
		"-   0,",
		"+   20,",
		"at a.test.ts:9:67",
	]);
});

test("an error has its message, what follows it and a place of ours", () => {
	const detail = `error: deadlock detected
  detail: "Process 1 waits",
      at /work/node_modules/pg/lib/client.js:694:17
      at move (/work/plugins/wallets/moveIntent.ts:31:9)`;
	expect(failureLines(detail, 6)).toEqual([
		"error: deadlock detected",
		'detail: "Process 1 waits",',
		"at move (/work/plugins/wallets/moveIntent.ts:31:9)",
	]);
	expect(failureLines("test timed out", 6)).toEqual(["test timed out"]);
	expect(failureLines("", 6)).toEqual([]);
});

test("never more lines than asked for, none empty, none too long, whatever the text", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), fc.nat(8), (text, max) => {
			const lines = failureLines(`${values}\n${text}\n${"x".repeat(500)}`, max);
			expect(lines.length).toBeLessThanOrEqual(max);
			for (const line of lines) {
				expect(line.length).toBeGreaterThan(0);
				expect(line.length).toBeLessThanOrEqual(160);
			}
		}),
	);
});
