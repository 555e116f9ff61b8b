import { expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import { createDelivery } from "#plugins/provider/stream/deliver/createDelivery.ts";
import { GAP_GATHER_MS, STOP_TIMEOUT_MS } from "#plugins/provider/stream/limits.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";
import { until } from "#plugins/provider/stream/testing/until.ts";

const orderHash = "0x01";
const push = { type: "order_gone", slug: "cats", chainId: 1, orderHash } as const;

function open() {
	const time = manualTime();
	const counted: string[] = [];
	const count = (outcome: string) => void counted.push(outcome);
	const waiting = () => {};
	const delivery = createDelivery({ ...time, log: silentLog, count, waiting });
	return { time, counted, delivery };
}

test("[MRG-13] a push that its listener failed at is told as a gap", async () => {
	const { time, counted, delivery } = open();
	const gaps: unknown[] = [];
	delivery.onPushes(async () => {
		throw new Error("no");
	});
	delivery.onGap(async (gap) => void gaps.push(gap));
	delivery.begin();
	delivery.push({ push, bytes: 1, atMs: 5 });
	await until(() => counted.length === 1);
	time.advance(GAP_GATHER_MS);
	expect(counted).toEqual(["failed"]);
	expect(gaps).toEqual([{ slugs: ["cats"], sinceMs: 5 }]);
});

test("there is one listener of each kind", () => {
	const { delivery } = open();
	delivery.onPushes(async () => {});
	delivery.onGap(async () => {});
	expect(() => delivery.onPushes(async () => {})).toThrow("one listener");
	expect(() => delivery.onGap(async () => {})).toThrow("one listener");
});

test("nobody waits for ever for a listener when the stream stops", async () => {
	const { time, delivery } = open();
	delivery.onPushes(() => new Promise(() => {}));
	delivery.push({ push, bytes: 1, atMs: 5 });
	const drained = delivery.drained();
	time.advance(STOP_TIMEOUT_MS);
	expect(await drained).toBeUndefined();
});
