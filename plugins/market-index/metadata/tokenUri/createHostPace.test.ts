import { expect, test } from "bun:test";
import { createHostPace } from "#plugins/market-index/metadata/tokenUri/createHostPace.ts";
import {
	HOST_GAP_FIRST_MS,
	HOST_PAUSE_FIRST_MS,
	HOST_WAIT_MAX_MS,
} from "#plugins/market-index/metadata/tokenUri/limits.ts";

const never = new AbortController().signal;

function lab() {
	const state = { nowMs: 1_000, slept: [] as number[] };
	const pace = createHostPace({
		clock: { nowMs: () => state.nowMs },
		async sleep(ms) {
			state.slept.push(ms);
		},
	});
	return { state, pace, enter: (host = "a.test") => pace.enter(host, never) };
}

test("a host that never complained is not held back", async () => {
	const { enter, state } = lab();
	for (let call = 0; call < 100; call++) expect(await enter()).toBe(true);
	expect(state.slept).toEqual([]);
});

test("a host that says for how long is left alone so long, and only that host", async () => {
	const { enter, pace, state } = lab();
	pace.limited("a.test", 3_000);
	expect(await enter("b.test")).toBe(true);
	expect(await enter()).toBe(true);
	expect(await enter()).toBe(true);
	expect(state.slept).toEqual([3_000, 3_000 + HOST_GAP_FIRST_MS]);
});

test("whoever would wait too long is told so at once, and nobody is asked", async () => {
	const { enter, pace, state } = lab();
	pace.limited("a.test", HOST_WAIT_MAX_MS + 1);
	expect(await enter()).toBe(false);
	expect(state.slept).toEqual([]);
	state.nowMs += HOST_WAIT_MAX_MS + 1;
	expect(await enter()).toBe(true);
});

test("calls stand further apart with each complaint, and complaints of one moment are one", async () => {
	const { enter, pace, state } = lab();
	for (let call = 0; call < 16; call++) pace.limited("a.test", null);
	state.nowMs += HOST_PAUSE_FIRST_MS;
	pace.limited("a.test", null);
	state.nowMs += HOST_PAUSE_FIRST_MS;
	await enter();
	await enter();
	expect(state.slept).toEqual([HOST_GAP_FIRST_MS * 2]);
});

test("calls draw closer again as documents are served, until nothing holds them back", async () => {
	const { enter, pace, state } = lab();
	pace.limited("a.test", 0);
	for (let call = 0; call < 100; call++) pace.served("a.test");
	state.nowMs += 10_000;
	for (let call = 0; call < 10; call++) await enter();
	expect(state.slept).toEqual([]);
});
