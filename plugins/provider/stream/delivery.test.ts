import { describe, expect, test } from "bun:test";
import { silentLog } from "#core/log.ts";
import { GAP_EVERY_MS, GAP_GATHER_MS, STOP_TIMEOUT_MS } from "#plugins/provider/limits.ts";
import { createDelivery, createGapLedger } from "#plugins/provider/stream/delivery.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";
import { until } from "#plugins/provider/stream/testing/until.ts";

describe("createDelivery", () => {
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

	test("[MRG-13] a push whose listener failed is reported as a gap", async () => {
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

	test("a second listener of one kind is refused", () => {
		const { delivery } = open();
		delivery.onPushes(async () => {});
		delivery.onGap(async () => {});
		expect(() => delivery.onPushes(async () => {})).toThrow("one listener");
		expect(() => delivery.onGap(async () => {})).toThrow("one listener");
	});

	test("stopping the stream waits for a listener only for a limited time", async () => {
		const { time, delivery } = open();
		delivery.onPushes(() => new Promise(() => {}));
		delivery.push({ push, bytes: 1, atMs: 5 });
		const drained = delivery.drained();
		time.advance(STOP_TIMEOUT_MS);
		expect(await drained).toBeUndefined();
	});
});

describe("createGapLedger", () => {
	/** Lets everything that is settled already take its effect. */
	const settled = () => new Promise((done) => setImmediate(done));

	function open() {
		const time = manualTime();
		const told: string[] = [];
		const warnings: string[] = [];
		const ledger = createGapLedger({
			...time,
			log: { ...silentLog, warn: (message) => void warnings.push(message) },
		});
		const listener = { fails: false };
		ledger.listen(async ({ slugs, sinceMs }) => {
			told.push(`${slugs.join("+")} ${sinceMs}`);
			if (listener.fails) throw new Error("no");
		});
		ledger.resume();
		const pass = async (ms: number) => {
			time.advance(ms);
			await settled();
		};
		return { ledger, told, warnings, listener, pass };
	}

	test("[MRG-13] gaps that arrive together are reported together, from the earliest start", async () => {
		const { ledger, told, pass } = open();
		ledger.add("cats", 30);
		ledger.add("dogs", 20);
		ledger.add("cats", 10);
		ledger.add("cats", 40);
		expect(told).toEqual([]);
		await pass(GAP_GATHER_MS);
		expect(told).toEqual(["cats+dogs 10"]);
		await pass(GAP_EVERY_MS * 2);
		expect(told).toHaveLength(1);
	});

	test("a collection's gaps are reported at most every half minute, and none is lost", async () => {
		const { ledger, told, pass } = open();
		ledger.add("cats", 1);
		await pass(GAP_GATHER_MS);
		ledger.add("cats", 3);
		ledger.add("cats", 2);
		await pass(GAP_EVERY_MS - 1);
		expect(told).toEqual(["cats 1"]);
		await pass(1);
		expect(told).toEqual(["cats 1", "cats 2"]);
	});

	test("a collection that was reported lately does not delay others", async () => {
		const { ledger, told, pass } = open();
		ledger.add("cats", 1);
		await pass(GAP_GATHER_MS);
		ledger.add("cats", 2);
		await pass(0);
		ledger.add("dogs", 3);
		await pass(GAP_GATHER_MS);
		expect(told).toEqual(["cats 1", "dogs 3"]);
		await pass(GAP_EVERY_MS);
		expect(told).toEqual(["cats 1", "dogs 3", "cats 2"]);
	});

	test("a gap whose listener failed is reported again, together with later ones", async () => {
		const { ledger, told, warnings, listener, pass } = open();
		listener.fails = true;
		ledger.add("cats", 5);
		await pass(GAP_GATHER_MS);
		await pass(GAP_EVERY_MS);
		expect(warnings).toHaveLength(1);
		listener.fails = false;
		ledger.add("cats", 9);
		await pass(GAP_EVERY_MS);
		await pass(GAP_EVERY_MS);
		expect(told).toEqual(["cats 5", "cats 5", "cats 5"]);
	});

	test("while paused no gap is reported or lost, except those of collections that are not followed any more", async () => {
		const { ledger, told, pass } = open();
		ledger.add("cats", 1);
		ledger.add("dogs", 2);
		ledger.pause();
		await pass(GAP_EVERY_MS);
		expect(told).toEqual([]);
		ledger.keepOnly(new Set(["dogs"]));
		ledger.resume();
		await pass(GAP_GATHER_MS);
		expect(told).toEqual(["dogs 2"]);
	});
});
