import { expect, test } from "bun:test";
import { sleep } from "#core/time/sleep.ts";

test("sleeping lasts its time", async () => {
	const beganMs = performance.now();
	await sleep(20);
	expect(performance.now() - beganMs).toBeGreaterThan(18);
});

test("the signal ends it at once, without complaint, also where it has aborted already", async () => {
	const stopping = new AbortController();
	const slept = sleep(3_600_000, stopping.signal);
	stopping.abort();
	expect(await slept).toBeUndefined();
	expect(await sleep(3_600_000, stopping.signal)).toBeUndefined();
});

test("a signal that lives long collects nothing from sleeps that are over", async () => {
	const { signal } = new AbortController();
	let listening = 0;
	const add = signal.addEventListener.bind(signal);
	const remove = signal.removeEventListener.bind(signal);
	signal.addEventListener = (...given: Parameters<typeof add>) => {
		listening++;
		add(...given);
	};
	signal.removeEventListener = (...given: Parameters<typeof remove>) => {
		listening--;
		remove(...given);
	};
	for (let turn = 0; turn < 5; turn++) await sleep(0, signal);
	expect(listening).toBe(0);
});
