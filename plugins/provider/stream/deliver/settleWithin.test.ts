import { expect, test } from "bun:test";
import { settleWithin } from "#plugins/provider/stream/deliver/settleWithin.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";

test("a listener ends well, badly or not at all, and each is told apart", async () => {
	const { timers, advance, delaysMs } = manualTime();
	const settle = (run: () => Promise<void>) => settleWithin(run, { timers, timeoutMs: 100 });
	const error = new Error("no");
	const fail = () => {
		throw error;
	};
	expect(await settle(async () => {})).toEqual({ kind: "done" });
	expect(await settle(async () => fail())).toEqual({ kind: "failed", error });
	expect(await settle(fail)).toEqual({ kind: "failed", error });
	expect(delaysMs()).toEqual([]);
	const late = settle(() => new Promise(() => {}));
	advance(100);
	expect(await late).toEqual({ kind: "late" });
});
