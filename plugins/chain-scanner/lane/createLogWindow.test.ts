import { expect, test } from "bun:test";
import { createLogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";

test("[ING-08] the window starts at 1,000 blocks and halves above 10,000 logs, not at 10,000", () => {
	const window = createLogWindow();
	expect(window.blocks).toBe(1_000);
	window.answered({ blocks: 1_000, logCount: 10_000 });
	expect(window.blocks).toBe(1_000);
	window.answered({ blocks: 1_000, logCount: 10_001 });
	expect(window.blocks).toBe(500);
});

test("[ING-08] a refused range halves the window down to one block and no further", () => {
	const window = createLogWindow();
	for (let step = 0; step < 20; step++) window.refused({ blocks: window.blocks });
	expect(window.blocks).toBe(1);
});

test("a range that the head cut short is halved from what was asked for", () => {
	const window = createLogWindow();
	window.refused({ blocks: 10 });
	expect(window.blocks).toBe(5);
});

test("[ING-08] full windows with few logs grow back to 1,000 blocks and no further", () => {
	const window = createLogWindow();
	window.answered({ blocks: 1_000, logCount: 20_000 });
	window.answered({ blocks: 500, logCount: 1_250 });
	expect(window.blocks).toBe(500);
	window.answered({ blocks: 500, logCount: 1_249 });
	expect(window.blocks).toBe(1_000);
	window.answered({ blocks: 1_000, logCount: 0 });
	expect(window.blocks).toBe(1_000);
});

test("[ING-08] one block at the head says nothing about a window of hundreds", () => {
	const window = createLogWindow();
	window.answered({ blocks: 1_000, logCount: 20_000 });
	window.answered({ blocks: 1, logCount: 10 });
	expect(window.blocks).toBe(500);
});

test("an answer refused for its size halves the window as often as its size asks for", () => {
	for (const [timesTooLarge, blocks] of [
		[1.5, 500],
		[7.9, 125],
		[10.3, 62],
		[1e9, 1],
	] as const) {
		const window = createLogWindow();
		window.refused({ blocks: 1_000, timesTooLarge });
		expect(window.blocks).toBe(blocks);
	}
});

test("the window does not grow back into what was refused, unless the chain became quiet", () => {
	const window = createLogWindow();
	window.refused({ blocks: 1_000, timesTooLarge: 10 });
	expect(window.blocks).toBe(62);
	for (let step = 0; step < 9; step++) window.answered({ blocks: 62, logCount: 1_240 });
	expect(window.blocks).toBe(62);
	window.answered({ blocks: 62, logCount: 600 });
	expect(window.blocks).toBe(124);
});
