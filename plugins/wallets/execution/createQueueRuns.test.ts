import { expect, test } from "bun:test";
import { createQueueRuns, type QueueRunEnd } from "#plugins/wallets/execution/createQueueRuns.ts";

function scripted(ends: QueueRunEnd[]) {
	const runs = createQueueRuns();
	const open: (() => void)[] = [];
	let turns = 0;
	const act = async (): Promise<QueueRunEnd> => {
		turns++;
		await new Promise<void>((resolve) => open.push(resolve));
		return ends.shift() ?? "empty";
	};
	return { runs, act, turns: () => turns, finishOne: () => open.shift()?.() };
}

test("who comes while a queue is run is taken along by one turn more, however many come", async () => {
	const { runs, act, turns, finishOne } = scripted([]);
	const all = [runs.run("a", act), runs.run("a", act), runs.run("a", act)];
	expect(turns()).toBe(1);
	finishOne();
	await Promise.resolve();
	while (turns() < 2) await Promise.resolve();
	finishOne();
	await Promise.all(all);
	expect(turns()).toBe(2);
	expect(runs.isWaited("a")).toBe(false);
});

test("queues do not wait for each other", async () => {
	const { runs, act, turns, finishOne } = scripted([]);
	const all = [runs.run("a", act), runs.run("b", act)];
	expect(turns()).toBe(2);
	finishOne();
	finishOne();
	await Promise.all(all);
});

test("a queue left to whoever is sending is known to be waited for, until somebody empties it", async () => {
	const { runs, act, finishOne } = scripted(["sending", "empty"]);
	const first = runs.run("a", act);
	expect(runs.isWaited("a")).toBe(true);
	finishOne();
	await first;
	expect(runs.isWaited("a")).toBe(true);
	const second = runs.run("a", act);
	finishOne();
	await second;
	expect(runs.isWaited("a")).toBe(false);
});

test("one that fails is told to all who wait, and the queue can be run again", async () => {
	const runs = createQueueRuns();
	const failing = async () => {
		throw new Error("no");
	};
	await expect(runs.run("a", failing)).rejects.toThrow("no");
	await runs.run("a", async () => "empty");
	expect(runs.isWaited("a")).toBe(false);
});
