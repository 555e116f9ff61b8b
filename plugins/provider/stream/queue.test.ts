import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { silentLog } from "#core/log.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";
import {
	FAILED_IN_A_ROW_MAX,
	PUSH_TIMEOUT_MS,
	PUSHES_TOGETHER_MAX,
	QUEUE_BYTES_MAX,
	QUEUE_PUSHES_MAX,
	QUEUE_REST_MS_MAX,
	QUEUE_REST_SHARE,
	QUEUE_UNHURRIED_MAX,
	SLUGS_AT_ONCE_MAX,
} from "#plugins/provider/limits.ts";
import { createPushLines, createPushQueue, settleWithin } from "#plugins/provider/stream/queue.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";
import { until } from "#plugins/provider/stream/testing/until.ts";

describe("createPushQueue", () => {
	const queued = (slug: string, seed = 0, bytes = 10) => {
		const push = { type: "order_gone", slug, chainId: seed, orderHash: "0x" } as const;
		return { push, bytes, atMs: seed };
	};

	/** Opens a queue whose listener waits until the test releases each part. */
	function open() {
		const time = manualTime();
		const begun = collector<{ seeds: number[]; slug: string; end(): void; fail(): void }>();
		const lost: string[] = [];
		const warnings: string[] = [];
		const sizes: number[] = [];
		let handled = 0;
		const queue = createPushQueue({
			...time,
			log: { ...silentLog, warn: (message) => void warnings.push(message) },
			onHandled: (pushes) => {
				handled += pushes;
			},
			onLost: ({ push, atMs }, why) => void lost.push(`${push.slug} ${atMs} ${why}`),
			onSize: (waiting) => void sizes.push(waiting),
		});
		queue.listen(
			(pushes) =>
				new Promise((resolve, reject) => {
					const seeds = pushes.map(seedOf);
					const slug = pushes[0]?.slug ?? "";
					begun.add({ seeds, slug, end: resolve, fail: () => reject(new Error("no")) });
				}),
		);
		return { queue, time, begun, lost, warnings, sizes, handled: () => handled };
	}

	const seedOf = (push: ProviderPush) => (push.type === "order_gone" ? push.chainId : -1);

	test("[MRG-13] a collection's pushes are delivered in order, and those that waited are delivered together", async () => {
		const { queue, begun, sizes, handled } = open();
		for (const seed of [1, 2, 3]) queue.add(queued("cats", seed));
		const first = await begun.next();
		expect(first.seeds).toEqual([1]);
		expect(begun.rest()).toEqual([]);
		first.end();
		const second = await begun.next();
		expect(second.seeds).toEqual([2, 3]);
		second.end();
		await queue.idle();
		expect(handled()).toBe(3);
		// The last size is zero, though no push came after it.
		expect(sizes.at(-1)).toBe(0);
		expect(queue.size()).toBe(0);
	});

	test("pushes are delivered together up to the size of one transaction", async () => {
		const { queue, begun } = open();
		for (let seed = 0; seed <= PUSHES_TOGETHER_MAX + 1; seed++) queue.add(queued("cats", seed));
		(await begun.next()).end();
		const { seeds, end } = await begun.next();
		expect(seeds).toHaveLength(PUSHES_TOGETHER_MAX);
		expect(seeds[0]).toBe(1);
		end();
		expect((await begun.next()).seeds).toEqual([PUSHES_TOGETHER_MAX + 1]);
	});

	test("each push is handled or lost, in order, for any arrivals and failures", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.record({ slug: fc.constantFrom("a", "b", "c", "d"), isBad: fc.boolean() }), {
					maxLength: 60,
				}),
				async (given) => {
					const time = manualTime();
					const stored: number[] = [];
					const lost: number[] = [];
					const queue = createPushQueue({
						...time,
						log: silentLog,
						onHandled() {},
						onLost: ({ atMs }) => void lost.push(atMs),
						onSize() {},
					});
					queue.listen(async (pushes) => {
						await Promise.resolve();
						if (pushes.some((push) => given[seedOf(push)]?.isBad)) throw new Error("bad");
						stored.push(...pushes.map(seedOf));
					});
					given.forEach(({ slug }, seed) => void queue.add(queued(slug, seed)));
					await queue.idle();
					expect([...stored, ...lost].sort((a, b) => a - b)).toEqual(given.map((_, seed) => seed));
					for (const slug of ["a", "b", "c", "d"]) {
						const own = stored.filter((seed) => given[seed]?.slug === slug);
						expect(own).toEqual([...own].sort((a, b) => a - b));
					}
					for (const seed of stored) expect(given[seed]?.isBad).toBe(false);
				},
			),
			{ numRuns: 200 },
		);
	});

	test("a few collections are handled simultaneously, and a busy one does not delay others", async () => {
		const { queue, begun } = open();
		for (let seed = 0; seed < 3; seed++) {
			for (let slug = 0; slug < SLUGS_AT_ONCE_MAX + 1; slug++) queue.add(queued(`s${slug}`, seed));
		}
		expect(begun.rest()).toHaveLength(SLUGS_AT_ONCE_MAX);
		const first = await begun.next();
		first.end();
		await until(() => begun.rest().length === SLUGS_AT_ONCE_MAX);
		const last = begun.rest().at(-1);
		expect(last).toMatchObject({ slug: `s${SLUGS_AT_ONCE_MAX}`, seeds: [0, 1, 2] });
	});

	test("the queue pauses after a part for longer than the part took, up to a limit", async () => {
		const { queue, time, begun } = open();
		const rests: [tookMs: number, restMs: number][] = [
			[10, 10 * QUEUE_REST_SHARE],
			[QUEUE_REST_MS_MAX, QUEUE_REST_MS_MAX],
		];
		for (let seed = 0; seed < 3 * PUSHES_TOGETHER_MAX; seed++) queue.add(queued("cats", seed));
		for (const [tookMs, restMs] of rests) {
			const { end } = await begun.next();
			const timeouts = time.delaysMs().length;
			time.advance(tookMs);
			end();
			// Its timeout is cancelled, and the rest takes its place.
			await until(() => time.delaysMs().includes(restMs) && time.delaysMs().length === timeouts);
			time.advance(restMs - 1);
			expect(begun.rest()).toEqual([]);
			time.advance(1);
		}
		const last = await begun.next();
		queue.keepOnly(new Set());
		time.advance(10);
		last.end();
		// Nothing waits: the next one is handed on at once.
		await queue.idle();
	});

	test("the queue does not pause if more pushes wait than its limit", async () => {
		const { queue, time, begun } = open();
		const pushes = QUEUE_UNHURRIED_MAX + 2 * PUSHES_TOGETHER_MAX;
		for (let seed = 0; seed < pushes; seed++) queue.add(queued("cats", seed));
		const first = await begun.next();
		time.advance(10);
		first.end();
		const second = await begun.next();
		expect(queue.size()).toBeGreaterThan(QUEUE_UNHURRIED_MAX - PUSHES_TOGETHER_MAX);
		expect(second.seeds).toHaveLength(PUSHES_TOGETHER_MAX);
	});

	test("[MRG-13] a push that does not fit is lost, and reported with its time", async () => {
		const { queue, begun, lost, warnings } = open();
		queue.add(queued("busy"));
		for (let seed = 0; seed < QUEUE_PUSHES_MAX; seed++) queue.add(queued("busy", seed));
		expect(lost).toEqual([]);
		queue.add(queued("cats", 7));
		queue.add(queued("cats", 7));
		expect(lost).toEqual(["cats 7 full", "cats 7 full"]);
		expect(warnings).toEqual([expect.stringContaining("more than fits")]);
		expect(queue.size()).toBe(QUEUE_PUSHES_MAX);
		queue.keepOnly(new Set(["cats"]));
		expect(queue.size()).toBe(0);
		queue.add(queued("cats", 8));
		expect(begun.rest().at(-1)).toMatchObject({ slug: "cats" });
	});

	test("pushes are bounded in bytes as well", () => {
		const lines = createPushLines();
		expect(lines.add(queued("cats", 0, QUEUE_BYTES_MAX - 5))).toBe(true);
		expect(lines.add(queued("dogs", 0, 6))).toBe(false);
		expect(lines.add(queued("dogs", 0, 5))).toBe(true);
		expect(lines.take(new Set())).toHaveLength(1);
		expect(lines.add(queued("dogs", 0, 6))).toBe(true);
		lines.keepOnly(new Set());
		expect(lines.add(queued("dogs", 0, QUEUE_BYTES_MAX))).toBe(true);
	});

	test("[MRG-13] a push whose listener fails becomes a gap, and the pushes beside it are handled", async () => {
		const { queue, begun, lost, warnings, handled } = open();
		for (const seed of [1, 2, 3, 4, 5]) queue.add(queued("cats", seed));
		(await begun.next()).end();
		/** Parts are stored unless they contain the third push. */
		for (let part = 0; part < 5; part++) {
			const { seeds, end, fail } = await begun.next();
			if (seeds.includes(3)) fail();
			else end();
		}
		await queue.idle();
		expect(lost).toEqual(["cats 3 failed"]);
		expect(warnings).toHaveLength(1);
		expect(handled()).toBe(4);
	});

	test("after several consecutive failures the rest of a part is lost without a try, with one warning", async () => {
		const time = manualTime();
		const lost: number[] = [];
		const warnings: string[] = [];
		let tries = 0;
		const queue = createPushQueue({
			...time,
			log: { ...silentLog, warn: (message) => void warnings.push(message) },
			onHandled() {},
			onLost: ({ atMs }) => void lost.push(atMs),
			onSize() {},
		});
		queue.listen(async () => {
			tries += 1;
			throw new Error("the database is away");
		});
		for (let seed = 0; seed < 101; seed++) queue.add(queued("cats", seed));
		await queue.idle();
		expect(lost.sort((a, b) => a - b)).toEqual(Array.from({ length: 101 }, (_, seed) => seed));
		// The first came alone; of each part halves down to single ones, three of these, and no more.
		const parts = Math.ceil(100 / PUSHES_TOGETHER_MAX);
		const triesOfPart = 2 * Math.ceil(Math.log2(PUSHES_TOGETHER_MAX)) + FAILED_IN_A_ROW_MAX;
		expect(tries).toBeLessThanOrEqual(1 + parts * triesOfPart);
		expect(warnings).toHaveLength(1);
	});

	test("a listener that throws synchronously, or never ends, does not stop the queue", async () => {
		const time = manualTime();
		const lost: string[] = [];
		const queue = createPushQueue({
			...time,
			log: silentLog,
			onHandled() {},
			onLost: ({ push }) => void lost.push(push.slug),
			onSize() {},
		});
		queue.listen(([push]) => {
			if (push?.slug === "throws") throw new Error("at once");
			return new Promise(() => {});
		});
		queue.add(queued("throws"));
		queue.add(queued("hangs"));
		await until(() => lost.length === 1);
		time.advance(PUSH_TIMEOUT_MS);
		await queue.idle();
		expect(lost).toEqual(["throws", "hangs"]);
	});
});

describe("settleWithin", () => {
	test("a listener that succeeds, fails or never ends gives three different results", async () => {
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
});
