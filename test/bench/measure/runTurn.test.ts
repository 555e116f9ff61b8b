import { expect, test } from "bun:test";
import { runTurn } from "#test/bench/measure/runTurn.ts";

test("a call that ends before or after the counted time is made, and not counted", async () => {
	let ms = 0;
	const order = { inFlight: 1, warmMs: 25, countMs: 40, nowMs: () => ms };
	const told = await runTurn(order, async () => {
		ms += 10;
	});
	// Ends at 10 and 20; at 30, 40, 50 and 60 of the time that counts; at 70.
	expect(told).toEqual({ done: 7, perSecond: 100, delaysMs: [10, 10, 10, 10] });
});

test("each worker makes one call at a time, and gets the number of its turn", async () => {
	let ms = 0;
	const busy = new Set<number>();
	const turns = new Map<number, number>();
	await runTurn(
		{ inFlight: 3, warmMs: 0, countMs: 50, nowMs: () => ms++ },
		async (worker, turn) => {
			expect(busy.has(worker)).toBe(false);
			expect(turn).toBe(turns.get(worker) ?? 0);
			turns.set(worker, turn + 1);
			busy.add(worker);
			await Promise.resolve();
			busy.delete(worker);
		},
	);
	expect([...turns.keys()].sort()).toEqual([0, 1, 2]);
});

test("the first failed call ends all workers", async () => {
	let done = 0;
	const order = { inFlight: 2, warmMs: 0, countMs: 1, nowMs: () => 0 };
	const running = runTurn(order, async (worker, turn) => {
		await Promise.resolve();
		if (worker === 1 && turn === 3) throw new Error("it was refused");
		done++;
	});
	await expect(running).rejects.toThrow("it was refused");
	const doneBy = done;
	await new Promise((resolve) => setImmediate(resolve));
	expect(done).toBeLessThanOrEqual(doneBy + 1);
});

test("workers with a rate begin their calls at regular times", async () => {
	let ms = 0;
	const begun: number[] = [];
	const sleep = async (waitMs: number) => {
		ms += waitMs;
	};
	const clock = { nowMs: () => ms, sleep };
	const order = { inFlight: 1, warmMs: 20, countMs: 40, perSecond: 100, ...clock };
	const told = await runTurn(order, async () => {
		begun.push(ms);
		ms += 4;
	});
	expect(begun).toEqual([0, 10, 20, 30, 40, 50]);
	expect(told).toEqual({ done: 6, perSecond: 100, delaysMs: [4, 4, 4, 4] });
});
