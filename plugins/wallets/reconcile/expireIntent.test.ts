import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/execution/prepareIntent.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { SIGNED_UNSEEN_MS } from "#plugins/wallets/reconcile/looks.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what an owner's wallet sent and nobody told is found before its intent may expire, and
// for a day after that.

let database: TestDatabase;
let lab: Lab;
let by: Person;
let fee = 100n;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person({ capability: "external/manual" });
});

async function ask(data: Hex = "0xabcd"): Promise<Intent> {
	const [intent] = await lab.pay(by, { data });
	if (!intent) throw new Error("no intent");
	expect(intent.status).toBe("signature_required");
	return intent;
}
const read = (intent: Intent) => lab.intent(intent.id);
/** What the plan says, as its wallet sends it; each at a price of its own. */
function send(intent: Intent, nonce = 0): Hex {
	const { from, to, valueRaw, data } = intent.plan ?? {};
	if (!from || !to || valueRaw === undefined || !data) throw new Error("no plan");
	fee *= 2n;
	return lab.chain.send({ from, to, valueRaw, data, nonce, feeRaw: fee });
}
function mine(blocks = 4): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
}
async function ticks(times: number, ms: number): Promise<void> {
	for (let turn = 0; turn < times; turn++) await lab.tick(ms);
}

describe("what was never told", () => {
	test("a payment that its owner never reported is found before its intent may expire", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine();
		await ticks(3, QUESTION_LIFETIME_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await lab.moves(intent.id)).not.toContain("expire");
	});

	test("an intent stays open while its payment waits at a node, or no node can be asked", async () => {
		const intent = await ask();
		const sent = send(intent);
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		mine();
		lab.chain.state.isDown = true;
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		lab.chain.state.isDown = false;
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a payment that is sent after its intent expired is found, and may still be reported", async () => {
		const [found, told] = [await ask("0x01"), await ask("0x02")];
		await ticks(2, QUESTION_LIFETIME_MS);
		expect((await read(found)).status).toBe("expired");
		expect((await read(told)).status).toBe("expired");
		const sent = send(found);
		const second = send(told, 1);
		await lab.execution.signed(told.id, second);
		expect(await read(told)).toMatchObject({ status: "submitted", transactionHash: second });
		mine();
		await ticks(3, SIGNED_UNSEEN_MS);
		expect(await read(found)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await read(told)).toMatchObject({ status: "confirmed", transactionHash: second });
	});

	test("settles one of two that are alike, and never both", async () => {
		const intents = [await ask(), await ask()];
		send(intents[0] as Intent);
		mine();
		await ticks(4, QUESTION_LIFETIME_MS);
		const states = await Promise.all(intents.map(async (one) => (await read(one)).status));
		expect(states.sort()).toEqual(["confirmed", "expired"]);
	});

	test("an older payment that is alike, or another one, settles nothing", async () => {
		const twin = await ask();
		send(twin);
		mine(1);
		const intent = await ask();
		lab.chain.send({ from: by.wallet.address, to: SHOP, nonce: 1, valueRaw: 1n, data: "0x" });
		mine();
		await lab.execution.signed(twin.id, `0x${"8".repeat(64)}`);
		await ticks(2, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("expired");
	});
});

describe("what its owner calls off", () => {
	const cancel = ({ id }: Intent) =>
		lab.execution.cancel(id, { actor: "profile:lab", signal: lab.signal });

	test("a call-off looks for the payment first: one that the wallet sent is followed, not rejected", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine();
		await expect(cancel(intent)).rejects.toMatchObject({ code: "cancel_not_ours" });
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a call-off is refused while nobody can say whether the payment was sent", async () => {
		const intent = await ask();
		send(intent);
		await expect(cancel(intent)).rejects.toMatchObject({ code: "not_searched" });
		expect((await read(intent)).status).toBe("signature_required");
	});

	test("a called-off payment that its wallet sends all the same is found for a day, or reported", async () => {
		const [found, told] = [await ask("0x01"), await ask("0x02")];
		for (const intent of [found, told]) {
			expect(await cancel(intent)).toMatchObject({ status: "rejected", errorCode: "cancelled" });
		}
		const [sent, second] = [send(found), send(told, 1)];
		await lab.execution.signed(told.id, second);
		mine();
		await ticks(3, SIGNED_UNSEEN_MS);
		expect(await read(found)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await read(told)).toMatchObject({ status: "confirmed", transactionHash: second });
	});
});
