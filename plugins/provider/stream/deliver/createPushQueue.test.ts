import { expect, test } from "bun:test";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";
import { createPushLines } from "#plugins/provider/stream/deliver/createPushLines.ts";
import { createPushQueue } from "#plugins/provider/stream/deliver/createPushQueue.ts";
import {
	PUSH_TIMEOUT_MS,
	QUEUE_BYTES_MAX,
	QUEUE_PUSHES_MAX,
	SLUGS_AT_ONCE_MAX,
} from "#plugins/provider/stream/limits.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";
import { until } from "#plugins/provider/stream/testing/until.ts";

const queued = (slug: string, seed = 0, bytes = 10) => {
	const push = { type: "order_gone", slug, chainId: seed, orderHash: "0x" } as const;
	return { push, bytes, atMs: seed };
};

/** A queue whose listener waits until the test lets each push go. */
function open() {
	const time = manualTime();
	const begun = collector<{ push: ProviderPush; end(): void; fail(): void }>();
	const lost: string[] = [];
	const warnings: string[] = [];
	let handled = 0;
	const queue = createPushQueue({
		timers: time.timers,
		log: { ...silentLog, warn: (message) => void warnings.push(message) },
		onHandled: () => handled++,
		onLost: ({ push, atMs }, why) => void lost.push(`${push.slug} ${atMs} ${why}`),
	});
	queue.listen(
		(push) =>
			new Promise((resolve, reject) => {
				begun.add({ push, end: resolve, fail: () => reject(new Error("no")) });
			}),
	);
	return { queue, time, begun, lost, warnings, handled: () => handled };
}

test("[MRG-13] one collection's pushes are handled one after the other, in their order", async () => {
	const { queue, begun } = open();
	for (const seed of [1, 2, 3]) queue.add(queued("cats", seed));
	for (const seed of [1, 2, 3]) {
		const { push, end } = await begun.next();
		expect(push).toMatchObject({ chainId: seed });
		expect(begun.rest()).toEqual([]);
		end();
	}
	await queue.idle();
	expect(queue.size()).toBe(0);
});

test("a few collections are handled at once, and a lively one does not keep others waiting", async () => {
	const { queue, begun } = open();
	for (let seed = 0; seed < 3; seed++) {
		for (let slug = 0; slug < SLUGS_AT_ONCE_MAX + 1; slug++) queue.add(queued(`s${slug}`, seed));
	}
	expect(begun.rest()).toHaveLength(SLUGS_AT_ONCE_MAX);
	const first = await begun.next();
	first.end();
	await until(() => begun.rest().length === SLUGS_AT_ONCE_MAX);
	expect(begun.rest().at(-1)?.push).toMatchObject({ slug: `s${SLUGS_AT_ONCE_MAX}`, chainId: 0 });
});

test("[MRG-13] what does not fit is lost, and told with its time", async () => {
	const { queue, begun, lost } = open();
	queue.add(queued("busy"));
	for (let seed = 0; seed < QUEUE_PUSHES_MAX; seed++) queue.add(queued("busy", seed));
	expect(lost).toEqual([]);
	queue.add(queued("cats", 7));
	expect(lost).toEqual(["cats 7 full"]);
	expect(queue.size()).toBe(QUEUE_PUSHES_MAX);
	queue.keepOnly(new Set(["cats"]));
	expect(queue.size()).toBe(0);
	queue.add(queued("cats", 8));
	expect(begun.rest().at(-1)?.push).toMatchObject({ slug: "cats" });
});

test("pushes are bounded in bytes as well", () => {
	const lines = createPushLines();
	expect(lines.add(queued("cats", 0, QUEUE_BYTES_MAX - 5))).toBe(true);
	expect(lines.add(queued("dogs", 0, 6))).toBe(false);
	expect(lines.add(queued("dogs", 0, 5))).toBe(true);
	lines.take(new Set());
	expect(lines.add(queued("dogs", 0, 6))).toBe(true);
	lines.keepOnly(new Set());
	expect(lines.add(queued("dogs", 0, QUEUE_BYTES_MAX))).toBe(true);
});

test("a listener that fails costs its push, which becomes a gap; told once for each outage", async () => {
	const { queue, begun, lost, warnings, handled } = open();
	for (const seed of [1, 2, 3]) queue.add(queued("cats", seed));
	(await begun.next()).fail();
	(await begun.next()).fail();
	(await begun.next()).end();
	await queue.idle();
	expect(lost).toEqual(["cats 1 failed", "cats 2 failed"]);
	expect(warnings).toHaveLength(1);
	expect(handled()).toBe(1);
	queue.add(queued("cats", 4));
	(await begun.next()).fail();
	await queue.idle();
	expect(warnings).toHaveLength(2);
});

test("a listener that throws before it waits, and one that never ends, stop nothing", async () => {
	const time = manualTime();
	const lost: string[] = [];
	const queue = createPushQueue({
		timers: time.timers,
		log: silentLog,
		onHandled() {},
		onLost: ({ push }) => void lost.push(push.slug),
	});
	queue.listen((push) => {
		if (push.slug === "throws") throw new Error("at once");
		return new Promise(() => {});
	});
	queue.add(queued("throws"));
	queue.add(queued("hangs"));
	await until(() => lost.length === 1);
	time.advance(PUSH_TIMEOUT_MS);
	await queue.idle();
	expect(lost).toEqual(["throws", "hangs"]);
});
