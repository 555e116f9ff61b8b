import { fullGC, heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { YIELDS_MAX } from "#plugins/chain-scanner/limits.ts";
import { createHeadGate, type HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

const LONG_MS = 60_000;

test("what can wait goes on when the last lane is done, and not before", async () => {
	const gate = createHeadGate();
	await gate.idle(LONG_MS);
	const [first, second] = [gate.enter(), gate.enter()];
	let went = 0;
	const waiting = [gate.idle(LONG_MS), gate.idle(LONG_MS)].map((idle) => idle.then(() => went++));
	first();
	// Leaving twice counts once.
	first();
	await Promise.resolve();
	expect(went).toBe(0);
	second();
	await Promise.all(waiting);
	expect(went).toBe(2);
	await gate.idle(LONG_MS);
});

test("a head that is always busy starves nobody", async () => {
	const gate = createHeadGate();
	gate.enter();
	await gate.idle(1);
});

test("what can wait is written one at a time, behind the head, and one that fails holds up none", async () => {
	const gate = createHeadGate();
	const leave = gate.enter();
	const order: string[] = [];
	const write = (name: string) => async () => {
		order.push(`${name} begins`);
		await Promise.resolve();
		order.push(`${name} ends`);
		if (name === "b") throw new Error("no");
	};
	const writes = ["a", "b", "c"].map((name) => gate.behind(LONG_MS, write(name)));
	const settled = Promise.allSettled(writes);
	order.push("head");
	leave();
	const outcomes = await settled;
	expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	expect(order).toEqual(["head", "a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("a write that is in the way of a new block begins anew behind it, and is finished in the end", async () => {
	const gate = createHeadGate();
	let attempts = 0;
	let leave = () => {};
	const wanted: boolean[] = [];
	const written = await gate.behind(LONG_MS, async (mustYield) => {
		attempts++;
		wanted.push(mustYield());
		// Another block comes while it writes, each time.
		leave = gate.enter();
		queueMicrotask(leave);
		if (mustYield()) throw scannerFault.gaveWay();
		return "written";
	});
	expect(written).toBe("written");
	expect(attempts).toBe(YIELDS_MAX + 1);
	expect(wanted).toEqual(wanted.map(() => false));
});

test("a block that was being taken in already is nothing to yield to, and other failures are told", async () => {
	const gate = createHeadGate();
	const leave = gate.enter();
	const seen = await gate.behind(1, async (mustYield) => mustYield());
	expect(seen).toBe(false);
	leave();
	const failed = gate.behind(LONG_MS, async () => {
		gate.enter()();
		throw scannerFault.cursorMoved();
	});
	expect(await failed.catch(({ code }) => code)).toBe("lane_cursor_moved");
});

/** Foretells nothing. */
const SILENT = { came() {}, dueForMs: () => 0, calmForMs: () => Number.POSITIVE_INFINITY };

/** A gate whose lanes took the last block, and whose next one is due for so long. */
function dueGate(dueForMs: number) {
	const gate = createHeadGate({ ...SILENT, dueForMs: () => dueForMs });
	gate.heard(1);
	gate.enter()();
	return gate;
}

test("a block that is due is waited for, and taken in before what can wait goes on", async () => {
	const gate = dueGate(LONG_MS);
	let went = false;
	const waiting = gate.idle(LONG_MS).then(() => {
		went = true;
	});
	const leave = gate.enter();
	await Promise.resolve();
	expect(went).toBe(false);
	leave();
	await waiting;
	expect(went).toBe(true);
});

test("what can wait also waits for a block that came while it was due and takes longer", async () => {
	const gate = dueGate(1);
	let went = false;
	const waiting = gate.idle(LONG_MS).then(() => {
		went = true;
	});
	const leave = gate.enter();
	// Beyond the time that it was due: a timer of that length which was set later.
	await dueGate(1).idle(LONG_MS);
	expect(went).toBe(false);
	leave();
	await waiting;
});

test("a block that is due and does not come holds up nobody for longer than it was due", async () => {
	await dueGate(1).idle(LONG_MS);
	// Nor for longer than whoever waits can wait.
	await dueGate(LONG_MS).idle(1);
});

test("a block that no lane here will take is not waited for", async () => {
	const gate = createHeadGate({ ...SILENT, dueForMs: () => LONG_MS });
	gate.heard(1);
	await gate.idle(LONG_MS);
	gate.enter()();
	gate.heard(2);
	await gate.idle(LONG_MS);
});

test("a block that came to a lane at work is taken, and the next one waited for", async () => {
	const gate = createHeadGate({ ...SILENT, dueForMs: () => LONG_MS });
	const leave = gate.enter();
	gate.heard(1);
	leave();
	let went = false;
	const waiting = gate.idle(LONG_MS).then(() => {
		went = true;
	});
	await Promise.resolve();
	expect(went).toBe(false);
	gate.enter()();
	await waiting;
});

test("a head that is told again, or goes back, is no block; the next one above it is", () => {
	let came = 0;
	const gate = createHeadGate({ ...SILENT, came: () => void came++ });
	const heard = [5, 5, 6, 1_000_000, 6, 6, 7].map((head) => {
		gate.heard(head);
		return came;
	});
	expect(heard).toEqual([1, 1, 2, 3, 3, 3, 4]);
});

test("whoever waited in vain leaves nothing behind", async () => {
	const gate = dueGate(1);
	const before = memoryOf(gate);
	for (let turn = 0; turn < 20; turn++) {
		await Promise.all(Array.from({ length: 500 }, () => gate.idle(1)));
	}
	expect(memoryOf(gate) - before).toBeLessThan(1_000);
});

/** Functions that are alive; the gate is named so that it is one of them. */
function memoryOf(_gate: HeadGate): number {
	fullGC();
	return heapStats().objectTypeCounts["Function"] ?? 0;
}

test("while a lane is inside there is no calm; then the rhythm of the blocks says how long", () => {
	const gate = createHeadGate({ ...SILENT, calmForMs: () => 700 });
	const leave = gate.enter();
	expect(gate.calmForMs()).toBe(0);
	leave();
	expect(gate.calmForMs()).toBe(700);
});
