import { afterEach, expect, test } from "bun:test";
import type { Head } from "#core/chain/heads/Head.ts";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { followHeads } from "#plugins/wallets/reconcile/followHeads.ts";

// Guarantee: each head is searched at once, one search at a time, whatever comes how fast.

const stopping: AbortController[] = [];
afterEach(() => {
	for (const controller of stopping.splice(0)) controller.abort();
});

type Search = { head: number | null; end(): void; fail(error: unknown): void };

function follow({ apartMs = 2 }: { apartMs?: number } = {}) {
	const controller = new AbortController();
	stopping.push(controller);
	const searches = collector<Search>();
	let announce: (head: Head) => void = () => {};
	let underWay = 0;
	const most = { atOnce: 0 };
	const done = followHeads({
		watch(onHead) {
			announce = onHead;
		},
		async search(head) {
			const { promise, resolve, reject } = Promise.withResolvers<void>();
			most.atOnce = Math.max(most.atOnce, ++underWay);
			searches.add({ head: head?.number ?? null, end: resolve, fail: reject });
			await promise.finally(() => underWay--);
		},
		log: silentLog,
		apartMs,
		againMs: 1,
		signal: controller.signal,
	});
	const say = (number: number, hash = `0x${number}` as const) => {
		announce({ number, hash, parentHash: "0x", timestampMs: 0, logsBloom: null });
	};
	return { searches, say, done, most, controller };
}

/** Ends searches until one of a head comes. */
async function nextHead({ searches }: ReturnType<typeof follow>): Promise<Search> {
	for (;;) {
		const search = await searches.next();
		if (search.head !== null) return search;
		search.end();
	}
}

test("a head is searched at once, and once more without it", async () => {
	const { searches, say } = follow();
	say(7);
	const first = await searches.next();
	first.end();
	const second = await searches.next();
	expect([first.head, second.head]).toEqual([7, null]);
});

test("heads that come during a search are one search, of the highest", async () => {
	const lab = follow();
	lab.say(1);
	const first = await nextHead(lab);
	for (const number of [2, 5, 3, 4]) lab.say(number);
	expect(lab.searches.rest()).toEqual([]);
	first.end();
	expect((await nextHead(lab)).head).toBe(5);
	expect(lab.most.atOnce).toBe(1);
});

test("a head that is said again is not searched again, one in its place is", async () => {
	const lab = follow();
	lab.say(1);
	(await nextHead(lab)).end();
	lab.say(1);
	(await lab.searches.next()).end();
	lab.say(1, "0x1b" as "0x1");
	expect((await nextHead(lab)).head).toBe(1);
	expect(lab.searches.rest()).toEqual([]);
});

test("a search that fails keeps none of the next from being made", async () => {
	const lab = follow();
	lab.say(1);
	(await nextHead(lab)).fail(new Error("the node is away"));
	lab.say(2);
	expect((await nextHead(lab)).head).toBe(2);
});

test("of many heads in the time between two searches one is searched", async () => {
	const lab = follow({ apartMs: 2 ** 30 });
	lab.say(1);
	(await nextHead(lab)).end();
	for (let number = 2; number < 100; number++) lab.say(number);
	(await lab.searches.next()).end();
	expect(lab.searches.rest()).toEqual([]);
	lab.controller.abort();
	await lab.done;
});

test("nothing is searched once the signal aborted", async () => {
	const lab = follow();
	lab.controller.abort();
	lab.say(1);
	await lab.done;
	expect(lab.searches.rest()).toEqual([]);
});
