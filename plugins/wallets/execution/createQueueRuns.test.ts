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

test("one that fails is told to who asked for it, and whoever came meanwhile has a turn", async () => {
	const { runs, act, turns, finishOne } = scripted([]);
	const { promise, reject } = Promise.withResolvers<QueueRunEnd>();
	const first = runs.run("a", () => promise);
	const second = runs.run("a", act);
	const third = runs.run("a", act);
	reject(new Error("given up"));
	await expect(first).rejects.toThrow("given up");
	expect(turns()).toBe(1);
	finishOne();
	await Promise.all([second, third]);
	expect(runs.isWaited("a")).toBe(false);
});

test("who shares a turn has it made by the last of them: the others may be given up by then", async () => {
	const { runs, act, turns, finishOne } = scripted([]);
	const first = runs.run("a", act);
	const givenUp = async () => {
		throw new Error("given up");
	};
	const shared = [runs.run("a", givenUp), runs.run("a", act)];
	finishOne();
	await first;
	while (turns() < 2) await Promise.resolve();
	finishOne();
	await Promise.all(shared);
});

test("who comes in the moment a run ends has a turn all the same", async () => {
	for (let moment = 0; moment < 12; moment++) {
		const { runs, act, turns, finishOne } = scripted([]);
		const first = runs.run("a", act);
		finishOne();
		for (let turn = 0; turn < moment; turn++) await Promise.resolve();
		const second = runs.run("a", act);
		await first;
		for (let turn = 0; turn < 24; turn++) await Promise.resolve();
		expect([moment, turns()]).toEqual([moment, 2]);
		finishOne();
		await second;
	}
});
