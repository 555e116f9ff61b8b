import { expect, test } from "bun:test";
import { readCapped } from "#core/http/readCapped.ts";

function endless(chunkBytes: number) {
	const state = { pulled: 0, isCancelled: false };
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			state.pulled += 1;
			controller.enqueue(new Uint8Array(chunkBytes).fill(0x20));
		},
		cancel() {
			state.isCancelled = true;
		},
	});
	return { state, response: new Response(body) };
}

test("an answer is read up to its limit, and one byte more is none", async () => {
	expect(await readCapped(new Response("héllo"), 6)).toBe("héllo");
	expect(await readCapped(new Response("héllo"), 5)).toBeNull();
	expect(await readCapped(new Response(null), 5)).toBe("");
});

test("an answer without an end is given up at the limit, and let go", async () => {
	const { state, response } = endless(1_000);
	expect(await readCapped(response, 10_000)).toBeNull();
	expect(state.pulled).toBeLessThan(20);
	expect(state.isCancelled).toBe(true);
});

test("an answer that says that it is too long is not begun", async () => {
	const { state, response } = endless(1_000);
	response.headers.set("content-length", "10001");
	expect(await readCapped(response, 10_000)).toBeNull();
	expect(state.pulled).toBeLessThan(2);
	expect(state.isCancelled).toBe(true);
});
