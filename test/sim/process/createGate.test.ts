import { expect, test } from "bun:test";
import { createGate } from "#test/sim/process/createGate.ts";

/** What settles within the microtasks of now. */
async function settles(promise: Promise<unknown>): Promise<boolean> {
	let settled = false;
	promise.then(() => {
		settled = true;
	});
	for (let turn = 0; turn < 10; turn++) await Promise.resolve();
	return settled;
}

test("[ING-09] a stalled process goes on where it was, a killed one never", async () => {
	const gate = createGate();
	expect(await settles(gate.pass())).toBe(true);
	gate.shut();
	const waiting = gate.pass();
	expect(await settles(waiting)).toBe(false);
	gate.open();
	expect(await settles(waiting)).toBe(true);
	gate.shut();
	const lost = gate.pass();
	gate.kill();
	expect(await settles(lost)).toBe(false);
	expect(await settles(gate.pass())).toBe(false);
	expect(gate.death).rejects.toThrow("killed");
});
