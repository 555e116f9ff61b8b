import { expect, test } from "bun:test";
import type { BackfillProgress } from "#plugins/chain-scanner/operator/BackfillProgress.ts";
import { progressLine } from "#plugins/chain-scanner/operator/progressLine.ts";

const half: BackfillProgress = {
	chain: "anvil",
	range: { from: 1, to: 10_000 },
	state: "draining",
	trouble: null,
	blocksAll: 20_000,
	blocksLeft: 10_000,
	blocksRefused: 0,
	events: 1_234,
	blocksPerSecond: 500.4,
	secondsLeft: 19.98,
};

test("one line says how much is done, what came of it, how fast it goes and when it ends", () => {
	expect(progressLine(half)).toBe(
		"████████████░░░░░░░░░░░░ 50 %  10 000 of 20 000 blocks left  1 234 events  500 blocks/s  20 s left",
	);
	expect(progressLine({ ...half, secondsLeft: 3_700 })).toContain("1 h 1 min left");
	expect(progressLine({ ...half, secondsLeft: 61 })).toContain("2 min left");
});

test("what is not done does not look done", () => {
	const nearly = progressLine({ ...half, blocksLeft: 1 });
	expect(nearly).toContain("░ 99 %");
	expect(progressLine({ ...half, blocksLeft: 0 })).toContain("█ 100 %");
});

test("who waits, or watches another process, says so and claims no speed it does not have", () => {
	const still = { ...half, blocksPerSecond: null, secondsLeft: null };
	expect(progressLine({ ...still, state: "waiting", trouble: "rpc_transport" })).toEndWith(
		"1 234 events  waiting (rpc_transport)",
	);
	const watching = progressLine({ ...still, state: "watching" });
	expect(watching).toEndWith("10 000 of 20 000 blocks left  read by another process");
});
