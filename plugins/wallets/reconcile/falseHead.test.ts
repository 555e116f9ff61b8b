import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a head that a node made up when an intent was planned keeps it from nothing: not from
// being confirmed, not from becoming final, not from being found by its nonce.

const RESERVED = 1_000_000_000;
const AHEAD = 40;
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
	mine(100);
	by = await lab.person();
});

function mine(blocks: number): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
}
/** Pays while the node names a head that is far from there yet. */
async function payAhead(mood: Lab["moods"][number], ahead = AHEAD): Promise<string> {
	const { settle } = lab.chain.rpc;
	lab.chain.rpc.settle = async (calls, options) => {
		const outcomes = await settle(calls, options);
		return outcomes.map((outcome, place) => {
			if (calls[place]?.method !== "eth_feeHistory") return outcome;
			const oldestBlock = `0x${(100 + ahead).toString(16)}`;
			return { kind: "result", result: { oldestBlock, baseFeePerGas: ["0x7"] } };
		});
	};
	lab.moods.push(mood);
	const id = (await lab.pay(by))[0]?.id ?? "";
	lab.chain.rpc.settle = settle;
	return id;
}
async function expectFinal(id: string): Promise<void> {
	for (let turn = 0; turn < 4; turn++) await lab.tick(60_000);
	expect((await lab.intent(id)).status).toBe("confirmed");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
	const open = await lab.db.query("select from wallets.submission where final_at is null");
	expect(open).toHaveLength(0);
}

test("a confirmed payment becomes final, however far the chain is by then", async () => {
	const id = await payAhead("sends");
	mine(1);
	await lab.tick();
	expect((await lab.intent(id)).status).toBe("confirmed");
	mine(2 * AHEAD);
	await expectFinal(id);
});

test("a payment that was not looked up until the chain passed the false head is settled", async () => {
	const id = await payAhead("sends");
	mine(2 * AHEAD);
	await expectFinal(id);
});

test("a payment that is found by its nonce only is settled", async () => {
	const id = await payAhead("sends, silent");
	lab.provider.state.lookupIsDown = true;
	mine(2 * AHEAD);
	await expectFinal(id);
});

test("a payment that is found by its nonce only is settled by a node that never comes to the false head", async () => {
	mine(200);
	const id = await payAhead("sends, silent", 1_000_000_000);
	lab.provider.state.lookupIsDown = true;
	mine(2 * AHEAD);
	// Of the block that has it no state is left.
	lab.chain.state.oldestState = 300 + AHEAD;
	await expectFinal(id);
});
