import { describe, expect, test } from "bun:test";
import { createLogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import { ANSWER_BYTES_AIM } from "#plugins/chain-scanner/limits.ts";

describe("createLogWindow", () => {
	const load = (blocks: number, logCount: number, answerBytes = 0) => {
		return { blocks, logCount, answerBytes };
	};

	test("[ING-08] the window starts at 1,000 blocks and halves above 10,000 logs, not at 10,000", () => {
		const window = createLogWindow();
		expect(window.blocks).toBe(1_000);
		window.answered(load(1_000, 10_000));
		expect(window.blocks).toBe(1_000);
		window.answered(load(1_000, 10_001));
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

	test("[ING-08] full windows with room for twice as much grow back to 1,000 blocks and no further", () => {
		const window = createLogWindow();
		window.answered(load(1_000, 20_000));
		window.answered(load(500, 5_001));
		expect(window.blocks).toBe(500);
		window.answered(load(500, 5_000));
		expect(window.blocks).toBe(1_000);
		window.answered(load(1_000, 0));
		expect(window.blocks).toBe(1_000);
	});

	test("[ING-08] one block at the head says nothing about a window of hundreds", () => {
		const window = createLogWindow();
		window.answered(load(1_000, 20_000));
		window.answered(load(1, 10));
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
		for (let step = 0; step < 9; step++) window.answered(load(62, 1_240, ANSWER_BYTES_AIM / 3));
		expect(window.blocks).toBe(62);
		window.answered(load(62, 600, ANSWER_BYTES_AIM / 8));
		expect(window.blocks).toBe(124);
	});

	test("the window never asks for more than fits into one answer at the size that blocks had", () => {
		const window = createLogWindow();
		expect(window.isMeasured).toBe(false);
		window.answered(load(3, 100, (3 * ANSWER_BYTES_AIM) / 70));
		expect([window.blocks, window.isMeasured]).toEqual([70, true]);
		window.answered(load(70, 2_000, ANSWER_BYTES_AIM * 1.4));
		expect(window.blocks).toBe(50);
		window.answered(load(50, 2_000, ANSWER_BYTES_AIM * 0.4));
		expect(window.blocks).toBe(100);
		// One block larger than any answer is still asked for.
		window.answered(load(1, 2_000, ANSWER_BYTES_AIM * 9));
		expect(window.blocks).toBe(1);
	});

	test("[ING-14] a provider that says how many blocks it takes is asked for no more", () => {
		const window = createLogWindow();
		window.refused({ blocks: 1_000, blocksMax: 800 });
		expect(window.blocks).toBe(800);
		// What makes no sense is halved as any other refusal.
		window.refused({ blocks: 800, blocksMax: 5_000 });
		expect(window.blocks).toBe(400);
		window.refused({ blocks: 400, blocksMax: 0 });
		expect(window.blocks).toBe(200);
	});

	test("[ING-08] a provider that says how many blocks it takes is asked for that many at once", () => {
		const window = createLogWindow();
		window.refused({ blocks: 1_000, blocksMax: 100 });
		expect(window.blocks).toBe(100);
		// What it says is no help where it allows what it just refused, or nothing at all.
		for (const blocksMax of [100, 5_000, 0, -3]) {
			const other = createLogWindow();
			other.refused({ blocks: 100, blocksMax });
			expect(other.blocks).toBe(50);
		}
	});

	test("[ING-08] a limit that is said again and again is tried less and less often", () => {
		const window = createLogWindow();
		let refusals = 0;
		for (let step = 0; step < 2_000; step++) {
			if (window.blocks <= 100) window.answered(load(window.blocks, 0));
			else {
				refusals++;
				window.refused({ blocks: window.blocks, blocksMax: 100 });
			}
		}
		expect(refusals).toBeLessThan(16);
		// It is tried all the same: some say it of just these blocks.
		for (let step = 0; step < 300; step++) window.answered(load(window.blocks, 0));
		expect(window.blocks).toBeGreaterThan(100);
	});

	test("refused ranges of one former width narrow the window once, not each time", () => {
		const dense = { blocks: 1_024, timesTooLarge: 4 };
		const refused = createLogWindow(1_024);
		for (let range = 0; range < 3; range++) refused.refused(dense);
		expect(refused.blocks).toBe(256);
		const answered = createLogWindow(1_024);
		for (let range = 0; range < 3; range++) answered.answered(load(1_024, 10_001));
		expect(answered.blocks).toBe(512);
	});
});
