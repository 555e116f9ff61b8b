import { expect, test } from "bun:test";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { createHeadGate } from "#plugins/chain-scanner/lane/createHeadGate.ts";
import { YIELDS_MAX } from "#plugins/chain-scanner/limits.ts";

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

test("a block that is due is waited for, and taken in before what can wait goes on", async () => {
	const due = { came() {}, dueForMs: () => LONG_MS };
	const gate = createHeadGate(due);
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

test("a block that is due and does not come holds up nobody for longer than it was due", async () => {
	await createHeadGate({ came() {}, dueForMs: () => 1 }).idle(LONG_MS);
	// Nor for longer than whoever waits can wait.
	await createHeadGate({ came() {}, dueForMs: () => LONG_MS }).idle(1);
});
