import { expect, test } from "bun:test";
import { followStreamStatus } from "#plugins/provider/stream/followStreamStatus.ts";

test("a process that never listens asks again and again how the stream stands, also after a failure", async () => {
	const stopping = new AbortController();
	let asked = 0;
	const status = {
		async learn() {
			if (++asked === 3) stopping.abort();
			if (asked === 1) throw new Error("away");
		},
	};
	await followStreamStatus({ status, signal: stopping.signal, everyMs: 1 });
	expect(asked).toBe(3);
});
