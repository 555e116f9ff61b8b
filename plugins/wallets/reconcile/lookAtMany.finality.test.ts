import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a head that a node names makes nothing final: the blocks on top have to be there.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
});

const AHEAD = 1_000_000_000;

/** The node names a head far ahead, and says of each receipt that it ended the other way. */
function lie({ saysOfReceipts }: { saysOfReceipts: boolean }): () => void {
	const { settle } = lab.chain.rpc;
	lab.chain.rpc.settle = async (calls, options) => {
		const outcomes = await settle(calls, options);
		return outcomes.map((outcome, place): RpcOutcome => {
			if (outcome.kind !== "result" || outcome.result === null) return outcome;
			const { method } = calls[place] ?? {};
			if (method === "eth_blockNumber") {
				return { kind: "result", result: `0x${(Number(outcome.result) + AHEAD).toString(16)}` };
			}
			if (method !== "eth_getTransactionReceipt" || !saysOfReceipts) return outcome;
			const receipt = outcome.result as { status: string };
			const status = receipt.status === "0x1" ? "0x0" : "0x1";
			return { kind: "result", result: { ...receipt, status } };
		});
	};
	return () => {
		lab.chain.rpc.settle = settle;
	};
}

async function finals(): Promise<number> {
	const [row] = await lab.db.query<{ finals: number }>(
		"select count(final_at)::int as finals from wallets.submission",
	);
	return row?.finals ?? -1;
}

for (const saysOfReceipts of [false, true]) {
	const of = saysOfReceipts ? "a false end of each receipt" : "true receipts";
	test(`a head far ahead, and ${of}: nothing is final until the blocks are there`, async () => {
		const by = await lab.person();
		const [paid] = await lab.pay(by);
		const id = paid?.id ?? "";
		const tellTheTruth = lie({ saysOfReceipts });
		lab.chain.mine();
		for (let turn = 0; turn < 4; turn++) await lab.tick(400_000);
		expect((await lab.intent(id)).status).toBe(saysOfReceipts ? "submitted" : "confirmed");
		expect(await finals()).toBe(0);
		tellTheTruth();
		for (let block = 0; block < 4; block++) lab.chain.mine();
		for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
		expect([(await lab.intent(id)).status, await finals()]).toEqual(["confirmed", 1]);
	});
}
