import { expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import { createGapLedger } from "#plugins/provider/stream/deliver/createGapLedger.ts";
import { GAP_EVERY_MS, GAP_GATHER_MS } from "#plugins/provider/stream/limits.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";

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

test("[MRG-13] gaps that come together are told together, from the earliest on", async () => {
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

test("one collection's gaps are told at most every half minute, and none is forgotten", async () => {
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

test("a collection that was reported lately keeps no other waiting", async () => {
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

test("a gap whose listener failed is told again, with what came since", async () => {
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

test("while it is paused nothing is reported and nothing lost; collections that are not followed are forgotten", async () => {
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
