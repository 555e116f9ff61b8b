import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { resolveIntent } from "#plugins/wallets/resolve/resolveIntent.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what a final cancellation of ours ended stays ended, although the node keeps state of
// its newest blocks alone and cannot say any more what used the nonce.

const RESERVED = 1_000_000_000;
const STATE_BLOCKS = 128;
let database: TestDatabase;
let lab: Lab;
let by: Person;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person();
});

let height = 0;
function mine(blocks: number): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
	height += blocks;
	lab.chain.state.oldestState = Math.max(0, height - STATE_BLOCKS);
}
const ended = { status: "failed", errorCode: "cancelled" };
const ask = (id: string) => lab.execution.cancel(id, { actor: "profile:lab", signal: lab.signal });
const resolve = (intentId: string, transactionHash: `0x${string}` | null) =>
	resolveIntent(lab.deps, lab.deps.audit, {
		...{ intentId, claim: { transactionHash }, actor: "lab", signal: lab.signal },
	});

for (const [what, mood] of [
	["its wallet provider named the hash of, and kept,", "says sent, keeps"],
	["its wallet provider has taken on, and does not send,", "loses"],
	["its wallet provider gave up, signed,", "refuses, signed"],
] as const) {
	test(`a payment that ${what} cancelled long after its plan, stays failed`, async () => {
		height = 0;
		lab.moods.push(mood);
		lab.provider.state.hasTaken = mood === "loses";
		const [paid] = await lab.pay(by, { to: SHOP });
		const id = paid?.id ?? "";
		await lab.tick();
		mine(300);
		for (let minute = 0; minute < 12; minute++) await lab.tick(60_000);
		expect((await lab.intent(id)).status).toBe("uncertain");
		await ask(id);
		mine(1);
		await lab.tick();
		// Its cancellation is mined, and not final yet: the payment is only in doubt.
		expect((await lab.intent(id)).status).toBe("uncertain");
		mine(4);
		for (let turn = 0; turn < 3; turn++) await lab.tick(60_000);
		expect(await lab.intent(id)).toMatchObject(ended);
		const { reserve, release = 0, unrelease = 0 } = await lab.ledger(id);
		expect([reserve, release - unrelease]).toEqual([RESERVED, RESERVED]);
		const moves = await lab.moves(id);
		for (let turn = 0; turn < 10; turn++) {
			mine(50);
			await lab.tick(300_000);
			expect(await lab.intent(id)).toMatchObject(ended);
		}
		expect(await lab.moves(id)).toEqual(moves);
		await expect(ask(id)).rejects.toMatchObject({ code: "intent_state" });
		await expect(resolve(id, null)).rejects.toMatchObject({ code: "intent_state" });
	});
}

for (const how of ["the next look", "an operator who gives it up"]) {
	test(`a cancelled intent that an earlier release opened again is ended by ${how}, without a node`, async () => {
		height = 0;
		lab.moods.push("says sent, keeps");
		const [paid] = await lab.pay(by, { to: SHOP });
		const id = paid?.id ?? "";
		await ask(id);
		mine(5);
		for (let turn = 0; turn < 3; turn++) await lab.tick(60_000);
		expect(await lab.intent(id)).toMatchObject(ended);
		await lab.db.execute(
			`update wallets.submission set state = 'dropped', final_at = null, final_tx = null
			where purpose = 'pay'`,
		);
		await lab.db.execute("update wallets.intent set status = 'uncertain', error_code = null");
		lab.chain.state.isDown = true;
		if (how === "the next look") await lab.tick(600_000);
		else await resolve(id, null);
		expect(await lab.intent(id)).toMatchObject(ended);
	});
}
