import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a cancellation that cannot be sent now holds up nothing else of its wallet, it can be
// sent whatever the payment offered and the account runs, and it ends no payment but its own.

const RESERVED = 1_000_000_000;
const GWEI = 10n ** 9n;
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

const cancel = (id: string) =>
	lab.execution.cancel(id, { actor: "profile:lab", signal: lab.signal });
const status = async (id: string) => (await lab.intent(id)).status;
const handed = () => lab.handed.map(({ transaction }) => transaction);
async function pay(mood?: Lab["moods"][number]): Promise<string> {
	if (mood) lab.moods.push(mood);
	return (await lab.pay(by))[0]?.id ?? "";
}
async function bury(): Promise<void> {
	for (let block = 0; block < 4; block++) lab.chain.mine();
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
}
/** Gas costs more than may be offered for any transaction. */
const gasIsTooDear = () => Object.assign(lab.chain.state, { tipRaw: 5_000n * GWEI });
const gasIsCheap = () => Object.assign(lab.chain.state, { tipRaw: 2n });

test("a payment queued after a cancellation that waits for cheaper gas expires, and its spend is released", async () => {
	const id = await pay("keeps, silent");
	const behind = await pay();
	expect([await status(id), await status(behind)]).toEqual(["uncertain", "submitting"]);
	// The provider may still send it.
	lab.provider.state.hasTaken = true;
	gasIsTooDear();
	await cancel(id);
	expect((await lab.intent(id)).cancellation?.state).toBe("queued");
	await lab.tick(QUESTION_LIFETIME_MS + 1);
	await lab.tick();
	expect(await lab.intent(behind)).toMatchObject({ status: "failed", errorCode: "quote_expired" });
	expect(await lab.ledger(behind)).toEqual({ reserve: RESERVED, release: RESERVED });
	gasIsCheap();
	await lab.tick();
	expect((await lab.intent(id)).cancellation?.state).toBe("sent");
	await bury();
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
});

test("a payment near the maximum fee can still be cancelled", async () => {
	lab.chain.state.tipRaw = 950n * GWEI;
	const id = await pay();
	lab.chain.state.tipRaw = 2n;
	await cancel(id);
	expect((await lab.intent(id)).cancellation?.state).toBe("sent");
	await bury();
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
});

test("requests that the wallet provider refuses do not raise the fee of the next one", async () => {
	const id = await pay();
	for (let time = 0; time < 5; time++) {
		lab.moods.push("refuses");
		await cancel(id);
	}
	await cancel(id);
	expect((await lab.intent(id)).cancellation?.state).toBe("sent");
	const [, first] = handed();
	expect(handed().at(-1)?.maxFeePerGas).toBe(first?.maxFeePerGas);
});

test("a cancellation whose account's code reverts still uses the nonce", async () => {
	const id = await pay();
	lab.chain.reverts.add("0x");
	await cancel(id);
	expect((await lab.intent(id)).cancellation?.state).toBe("sent");
	await bury();
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
});

test("a refused payment whose nonce another payment took fails, and that payment is not affected", async () => {
	const refused = await pay("refuses, signed");
	await lab.tick();
	const next = await pay();
	expect(handed().map(({ nonce }) => nonce)).toEqual([0, 0]);
	await expect(cancel(refused)).rejects.toMatchObject({ code: "nonce_taken" });
	expect(handed()).toHaveLength(2);
	await bury();
	expect([await status(refused), await status(next)]).toEqual(["failed", "confirmed"]);
});

test("a queued cancellation ends too when another payment takes its payment's nonce", async () => {
	const refused = await pay("refuses, signed");
	await lab.tick();
	gasIsTooDear();
	await cancel(refused);
	expect((await lab.intent(refused)).cancellation?.state).toBe("queued");
	gasIsCheap();
	const next = await pay();
	await lab.tick(2_000);
	expect(handed().map(({ nonce }) => nonce)).toEqual([0, 0]);
	expect((await lab.intent(refused)).cancellation?.state).toBe("never");
	await bury();
	expect([await status(refused), await status(next)]).toEqual(["failed", "confirmed"]);
});
