import { expect, test } from "bun:test";
import { adaptWindow } from "#plugins/chain-scanner/lane/adaptWindow.ts";

const answered = (logCount: number, blocks: number) =>
	({ kind: "answered", logCount, blocks }) as const;

test("[ING-08] the window halves when a query exceeds 10,000 logs, and not at 10,000", () => {
	expect(adaptWindow(1_000, answered(10_001, 1_000))).toBe(500);
	expect(adaptWindow(1_000, answered(10_000, 1_000))).toBe(1_000);
});

test("[ING-08] a refused range halves the window down to one block and no further", () => {
	let window = 1_000;
	for (let step = 0; step < 20; step++) window = adaptWindow(window, { kind: "refused" });
	expect(window).toBe(1);
});

test("[ING-08] full windows with few logs grow back to 1,000 blocks and no further", () => {
	expect(adaptWindow(500, answered(1_249, 500))).toBe(1_000);
	expect(adaptWindow(1_000, answered(0, 1_000))).toBe(1_000);
	expect(adaptWindow(500, answered(1_250, 500))).toBe(500);
});

test("[ING-08] one block at the head says nothing about a window of hundreds", () => {
	expect(adaptWindow(125, answered(10, 1))).toBe(125);
});

test("an answer refused for its size halves the window as often as its size asks for", () => {
	const refused = (timesTooLarge: number) => ({ kind: "refused", timesTooLarge }) as const;
	expect(adaptWindow(1_000, refused(1.5))).toBe(500);
	expect(adaptWindow(1_000, refused(7.9))).toBe(125);
	expect(adaptWindow(1_000, refused(1e9))).toBe(1);
});
