import { expect, test } from "bun:test";
import { createFoundMemory } from "#plugins/market-index/discovery/createFoundMemory.ts";
import { FOUND_EVERY_MS } from "#plugins/market-index/discovery/limits.ts";

function open() {
	const time = { nowMs: 1_000_000 };
	const told: number[][] = [];
	const state = { isDown: false };
	const found = createFoundMemory({ nowMs: () => time.nowMs }, async (ids) => {
		if (state.isDown) throw new Error("away");
		told.push([...ids]);
	});
	return { time, told, state, found };
}

test("what many searches show is told once in a while", async () => {
	const { time, told, found } = open();
	await found([1, 2]);
	await found([2, 3]);
	await found([1, 2, 3]);
	await found([]);
	expect(told).toEqual([[1, 2], [3]]);
	time.nowMs += FOUND_EVERY_MS - 1;
	await found([1]);
	expect(told).toHaveLength(2);
	time.nowMs += 1;
	await found([1]);
	expect(told.at(-1)).toEqual([1]);
	time.nowMs -= 3_600_000;
	await found([1]);
	expect(told).toHaveLength(4);
});

test("what could not be told is told again", async () => {
	const { told, state, found } = open();
	state.isDown = true;
	await expect(found([1])).rejects.toThrow("away");
	state.isDown = false;
	await found([1]);
	expect(told).toEqual([[1]]);
});
