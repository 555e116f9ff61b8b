import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/looks.ts";
import { missingOf } from "#plugins/wallets/reconcile/lookTogether.ts";
import { readOpen } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { seeTransaction } from "#plugins/wallets/reconcile/seeTransaction.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: nothing is done before its kind has looked, and none is asked twice at one receipt.

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

for (const state of ["sent", "doubtful"] as const) {
	test(`[NFT-03] a mined payment that is ${state} is not confirmed while its plugin is not loaded`, async () => {
		const [intent] = await lab.pay(await lab.person());
		const id = intent?.id ?? "";
		if (state === "doubtful") {
			await lab.db.execute("update wallets.submission set state = 'doubtful'");
			await lab.db.execute("update wallets.intent set status = 'uncertain'");
		}
		const open = (await lab.intent(id)).status;
		const { kindOf } = lab.deps;
		lab.deps.kindOf = () => null;
		lab.chain.mine();
		await lab.tick();
		await lab.tick(UNSEEN_DROPPED_MS);
		expect((await lab.intent(id)).status).toBe(open);
		expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000 });
		lab.deps.kindOf = kindOf;
		lab.state.missing = { code: "not_received", detail: "It is not there." };
		await lab.tick(UNSEEN_DROPPED_MS);
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "not_received" });
	});
}

test("a kind is called for a new successful receipt, and for no other", async () => {
	let asked = 0;
	const kind = payKind({ clock: lab.clock, script: lab.state });
	lab.execution.register({ ...kind, settle: async () => (asked++, null) });
	const [intent] = await lab.pay(await lab.person());
	lab.chain.mine();
	const at = new Date(lab.clock.ms + 1_000);
	const [submission] = await readOpen(lab.db, { sendTimeoutMs: 1_000, at });
	if (!submission?.transactionHash || !intent?.plan) throw new Error("nothing was sent");
	const { plan } = intent;
	const { rpc } = lab.chain;
	const { signal } = lab;
	const hash = submission.transactionHash;
	const finding = await seeTransaction(lab.deps, { submission, plan, rpc, signal, hash });
	if (finding === "unseen" || finding.kind !== "seen") throw new Error("it was not seen");
	const { receipt } = finding.sighting;
	if (!receipt) throw new Error("it is not mined");
	const ask = (blockHash: typeof submission.blockHash, sighting = finding.sighting) =>
		missingOf(lab.deps, {
			...{ intent, signal, submission: { ...submission, blockHash } },
			finding: { ...finding, sighting },
		});
	await ask(null);
	expect(asked).toBe(1);
	await ask(receipt.blockHash);
	await ask(null, { ...finding.sighting, receipt: null });
	await ask(null, { ...finding.sighting, receipt: { ...receipt, succeeded: false } });
	expect(asked).toBe(1);
	// In another block it is another receipt.
	await ask(hash);
	expect(asked).toBe(2);
});
