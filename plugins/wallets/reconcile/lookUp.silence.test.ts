import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Intent } from "#plugins/wallets/contract.ts";
import { PROOF_GRACE_MS } from "#plugins/wallets/reconcile/limits.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: silence is a proof only where everybody was asked, nobody may act any more, and the
// nonce is free; whatever is missing of that leaves the money reserved.

const RESERVED = 1_000_000_000;
let database: TestDatabase;
let lab: Lab;
let by: Person;
let intent: Intent;
/** When the wallet provider's silence begins to be a proof. */
let provedAtMs: number;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person();
	lab.moods.push("loses");
	const [lost] = await lab.pay(by);
	if (!lost) throw new Error("no intent");
	intent = lost;
	provedAtMs = (lab.handed[0]?.validUntilMs ?? 0) + PROOF_GRACE_MS;
});

/** Looks at that time; what is in doubt for less than two minutes is due in each second. */
const lookAt = (ms: number) => lab.tick(ms - lab.clock.ms);
async function expectOpen(): Promise<void> {
	expect((await lab.intent(intent.id)).status).toBe("uncertain");
	expect(await lab.ledger(intent.id)).toEqual({ reserve: RESERVED });
}
async function expectGivenBack(): Promise<void> {
	expect(await lab.intent(intent.id)).toMatchObject({ status: "failed", errorCode: "not_sent" });
	expect(await lab.ledger(intent.id)).toEqual({ reserve: RESERVED, release: RESERVED });
}

test("[TRD-08] the wallet provider's own records get their time after it may act no more", async () => {
	await lookAt(provedAtMs - PROOF_GRACE_MS + 1);
	await expectOpen();
	await lookAt(provedAtMs);
	await expectOpen();
	await lookAt(provedAtMs + 1_000);
	await expectGivenBack();
});

test("[TRD-08] what waits at a node under its nonce may be it: nothing is given back", async () => {
	const { from, to, valueRaw, data, nonce } = lab.handed[0]?.transaction ?? {};
	if (!from || !to || valueRaw === undefined || !data || nonce === undefined) {
		throw new Error("nothing was handed over");
	}
	lab.chain.send({ from, to, valueRaw, data, nonce });
	await lookAt(provedAtMs + 60_000);
	await expectOpen();
	lab.chain.mine();
	await lab.tick();
	expect((await lab.intent(intent.id)).status).toBe("confirmed");
});

test("[TRD-08] what used its nonce and no node can name may be it: nothing is given back", async () => {
	for (let block = 0; block < 300; block++) lab.chain.mine();
	lab.chain.send({ from: by.wallet.address, to: SHOP, nonce: 0, valueRaw: 1n, data: "0x" });
	for (let block = 0; block < 4; block++) lab.chain.mine();
	lab.chain.state.oldestState = 304;
	await lookAt(provedAtMs + 60_000);
	await expectOpen();
	lab.chain.state.oldestState = 0;
	await lab.tick(1_000);
	await expectGivenBack();
});

test("[TRD-08] a wallet provider that has it still proves nothing; one that gave it up does", async () => {
	const { custody } = lab.deps;
	const trace = (status: "pending" | "unknown" | "failed" | "provider_error") => async () => {
		return { transactionId: "t", referenceId: "r", status, transactionHash: null };
	};
	for (const status of ["pending", "unknown"] as const) {
		custody.byReference = trace(status);
		await lookAt(Math.max(provedAtMs, lab.clock.ms) + 1_000);
		await expectOpen();
	}
	custody.byReference = trace("provider_error");
	await lab.tick(1_000);
	await expectGivenBack();
});

test("[TRD-08] what has a name of the wallet provider's own is asked for by that", async () => {
	await lab.db.execute("update wallets.submission set provider_transaction_id = 'its own'");
	const asked: string[] = [];
	lab.deps.custody.byId = async (id) => {
		asked.push(id);
		return { transactionId: id, referenceId: null, status: "pending", transactionHash: null };
	};
	await lookAt(provedAtMs + 1_000);
	expect(asked).toEqual(["its own"]);
	await expectOpen();
});

test("[TRD-08] a wallet provider that cannot be asked has denied nothing, however late it is", async () => {
	lab.provider.state.lookupIsDown = true;
	await lookAt(provedAtMs + 60_000);
	await expectOpen();
	lab.provider.state.lookupIsDown = false;
	await lab.tick(1_000);
	await expectGivenBack();
});

test("[TRD-08] a node that has not come to where the nonce was taken does not say that it is free", async () => {
	for (let block = 0; block < 5; block++) lab.chain.mine();
	const other = await lab.person();
	lab.moods.push("loses");
	const [lost] = await lab.pay(other);
	const { from, to, valueRaw, data, nonce } = lab.handed[1]?.transaction ?? {};
	if (!from || !to || valueRaw === undefined || !data || nonce === undefined) {
		throw new Error("nothing was handed over");
	}
	// It left after all, and the node that is asked is from before it was.
	lab.chain.send({ from, to, valueRaw, data, nonce });
	lab.chain.mine();
	lab.chain.state.lagBlocks = 3;
	await lookAt(provedAtMs + 60_000);
	expect((await lab.intent(lost?.id ?? "")).status).toBe("uncertain");
	expect(await lab.ledger(lost?.id ?? "")).toEqual({ reserve: RESERVED });
	lab.chain.state.lagBlocks = 0;
	await lab.tick(1_000);
	expect((await lab.intent(lost?.id ?? "")).status).toBe("confirmed");
});
