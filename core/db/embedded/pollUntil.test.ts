import { expect, test } from "bun:test";
import { pollUntil } from "#core/db/embedded/pollUntil.ts";

test("the first answer ends the polling, and false is an answer", async () => {
	let asked = 0;
	const answer = await pollUntil(() => (++asked < 3 ? undefined : false), {
		timeoutMs: 5_000,
		everyMs: 1,
	});
	expect(answer).toBe(false);
	expect(asked).toBe(3);
});

test("polling without an answer ends, having asked at least once", async () => {
	let asked = 0;
	const ask = () => void asked++;
	expect(await pollUntil(ask, { timeoutMs: 0, everyMs: 1 })).toBeUndefined();
	expect(asked).toBe(1);
});
