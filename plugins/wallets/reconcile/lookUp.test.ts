import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { SIGNED_UNSEEN_MS } from "#plugins/wallets/reconcile/limits.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what its owner's own wallet sent is settled by what used its nonce, under whatever
// hash, where that is what was planned; anything else there settles nothing.

let database: TestDatabase;
let lab: Lab;
let by: Person;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person({ capability: "external/manual" });
});

const DATA = "0xabcd";
const ask = async (): Promise<Intent> => {
	const [intent] = await lab.pay(by, { data: DATA });
	if (!intent) throw new Error("no intent");
	return intent;
};
const read = (intent: Intent) => lab.intent(intent.id);
/** What the plan says, as a wallet sends it; a price of its own gives it another hash. */
let prices = 0;
function send(intent: Intent, change: { valueRaw?: bigint; data?: Hex } = {}, nonce = 0): Hex {
	const { from, to, valueRaw, data } = intent.plan ?? {};
	if (!from || !to || valueRaw === undefined || !data) throw new Error("no plan");
	prices++;
	const feeRaw = BigInt(100 + prices);
	return lab.chain.send({ from, to, valueRaw, data, ...change, nonce, feeRaw });
}
async function tell(intent: Intent): Promise<void> {
	await lab.execution.signed(intent.id, send(intent));
	await lab.tick();
	expect((await read(intent)).status).toBe("submitted");
}
function mineDeep(): void {
	for (let block = 0; block < 4; block++) lab.chain.mine();
}

test("a transaction that was sped up settles its intent under the hash that was mined", async () => {
	const intent = await ask();
	await tell(intent);
	lab.chain.forgetPool();
	const faster = send(intent);
	lab.chain.mine();
	await lab.tick(60_000);
	expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: faster });
});

test("also where it was found out only after the time for what no node knows", async () => {
	const intent = await ask();
	await tell(intent);
	lab.chain.forgetPool();
	await lab.tick(SIGNED_UNSEEN_MS + 1_000);
	expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "not_sent" });
	const faster = send(intent);
	lab.chain.mine();
	await lab.tick(SIGNED_UNSEEN_MS);
	expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: faster });
});

for (const [what, change] of [
	["another sum", { valueRaw: 1n }],
	["other data", { data: "0x" }],
] as const) {
	test(`what has its nonce and ${what} is no settlement: it was replaced`, async () => {
		const intent = await ask();
		await tell(intent);
		lab.chain.forgetPool();
		send(intent, change);
		lab.chain.mine();
		await lab.tick(60_000);
		// A block that can still leave the chain proves nothing.
		expect((await read(intent)).status).toBe("submitted");
		mineDeep();
		await lab.tick(60_000);
		expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "replaced" });
	});
}

test("the same again at another nonce is another payment, and settles nothing", async () => {
	const intent = await ask();
	await tell(intent);
	lab.chain.forgetPool();
	lab.chain.send({ from: by.wallet.address, to: SHOP, nonce: 0, valueRaw: 0n, data: "0x" });
	send(intent, {}, 1);
	mineDeep();
	await lab.tick(60_000);
	expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "replaced" });
});

test("what settles one intent settles no second one", async () => {
	const [one, two] = [await ask(), await ask()];
	await tell(one);
	lab.chain.forgetPool();
	const faster = send(one);
	// Its owner tells the second hash for the second intent.
	await lab.execution.signed(two.id, faster);
	mineDeep();
	for (let turn = 0; turn < 3; turn++) await lab.tick(60_000);
	expect(await read(two)).toMatchObject({ status: "confirmed", transactionHash: faster });
	expect(await read(one)).toMatchObject({ status: "failed", errorCode: "replaced" });
});

test("what no node ever showed us has no nonce that could be looked for", async () => {
	const intent = await ask();
	const hash = send(intent);
	lab.chain.forgetPool();
	await lab.execution.signed(intent.id, hash);
	send(intent);
	lab.chain.mine();
	await lab.tick(SIGNED_UNSEEN_MS);
	expect((await read(intent)).status).toBe("submitted");
	await lab.tick(SIGNED_UNSEEN_MS);
	expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "not_sent" });
});

test("a nonce that was used by what a pruned node cannot name leaves it open, for ever if need be", async () => {
	const intent = await ask();
	await tell(intent);
	lab.chain.forgetPool();
	for (let block = 0; block < 300; block++) lab.chain.mine();
	send(intent);
	mineDeep();
	lab.chain.state.oldestState = 304;
	for (let turn = 0; turn < 4; turn++) await lab.tick(SIGNED_UNSEEN_MS);
	expect((await read(intent)).status).toBe("submitted");
	lab.chain.state.oldestState = 0;
	await lab.tick(SIGNED_UNSEEN_MS);
	expect((await read(intent)).status).toBe("confirmed");
});
