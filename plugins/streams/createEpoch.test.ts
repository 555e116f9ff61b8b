import { expect, test } from "bun:test";
import { createEpoch } from "#plugins/streams/createEpoch.ts";

function open() {
	const state = { nowMs: 0, epoch: "one", reads: 0, changes: 0, away: false };
	const epoch = createEpoch({
		clock: { nowMs: () => state.nowMs },
		read: async () => {
			state.reads += 1;
			if (state.away) throw new Error("away");
			return state.epoch;
		},
		onChanged: () => {
			state.changes += 1;
		},
	});
	return { state, epoch };
}

test("a thousand streams that open at once ask the database once", async () => {
	const { state, epoch } = open();
	const answers = await Promise.all(Array.from({ length: 1_000 }, epoch.current));
	expect(new Set(answers)).toEqual(new Set(["one"]));
	expect(state.reads).toBe(1);
});

test("an answer is asked for again after a second, and a change is told once", async () => {
	const { state, epoch } = open();
	await epoch.current();
	state.epoch = "two";
	state.nowMs = 999;
	expect(await epoch.current()).toBe("one");
	state.nowMs = 1_000;
	expect(await epoch.current()).toBe("two");
	expect(await epoch.refresh()).toBe("two");
	expect(state.changes).toBe(1);
});

test("a failure is told and not kept", async () => {
	const { state, epoch } = open();
	state.away = true;
	await expect(epoch.current()).rejects.toThrow("away");
	state.away = false;
	expect(await epoch.current()).toBe("one");
});
