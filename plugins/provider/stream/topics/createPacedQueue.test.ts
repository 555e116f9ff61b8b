import { expect, test } from "bun:test";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";
import { createPacedQueue } from "#plugins/provider/stream/topics/createPacedQueue.ts";

function open() {
	const time = manualTime();
	const run: number[] = [];
	const queue = createPacedQueue<number>({
		timers: time.timers,
		perBeat: 2,
		beatMs: 100,
		run: (item) => void run.push(item),
	});
	return { time, run, queue };
}

test("so many go through at once, and the others after each pause", () => {
	const { time, run, queue } = open();
	for (const item of [1, 2, 3, 4, 5]) queue.add(item);
	expect(run).toEqual([1, 2]);
	time.advance(99);
	expect(run).toEqual([1, 2]);
	time.advance(1);
	expect(run).toEqual([1, 2, 3, 4]);
	time.advance(100);
	expect(run).toEqual([1, 2, 3, 4, 5]);
});

test("the pause is kept also by what comes later, and ends when nothing is to be done", () => {
	const { time, run, queue } = open();
	queue.add(1);
	time.advance(50);
	queue.add(2);
	queue.add(3);
	expect(run).toEqual([1, 2]);
	time.advance(50);
	expect(run).toEqual([1, 2, 3]);
	time.advance(1_000);
	expect(time.delaysMs()).toEqual([]);
});

test("what was taken out, or cleared away, has no turn; what is in it twice has one", () => {
	const { time, run, queue } = open();
	for (const item of [1, 2, 3, 3, 4]) queue.add(item);
	queue.remove(4);
	time.advance(100);
	queue.add(5);
	queue.add(6);
	queue.clear();
	time.advance(1_000);
	expect(run).toEqual([1, 2, 3, 5]);
});
