import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { findEvidence } from "#plugins/wallets/resolve/findEvidence.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what somebody's own wallet sent is given up for a nonce that was seen and is used up,
// at the very depth that counts, and for nothing else.

let database: TestDatabase;
let lab: Lab;
let by: Person;
let intent: Intent;
let hash: Hex;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person({ capability: "external/manual" });
	const [asked] = await lab.pay(by);
	if (!asked?.plan) throw new Error("no plan");
	intent = asked;
	const { from, to, valueRaw, data } = asked.plan;
	hash = lab.chain.send({ from, to, valueRaw, data, nonce: 0 });
	await lab.execution.signed(asked.id, hash);
});

/** What comes of a claim: a finding, or the code that refuses it. */
async function claim(transactionHash: Hex | null): Promise<unknown> {
	const [row] = await lab.db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s`,
	);
	const { plan } = intent;
	if (!row || !plan) throw new Error("nothing was sent");
	const asked = { submission: submissionRow.read(row), plan, rpc: lab.chain.rpc };
	return await findEvidence(lab.deps, {
		...{ ...asked, signal: lab.signal, claim: { transactionHash } },
	}).catch((fault) => fault.code);
}
const other = (nonce = 0) =>
	lab.chain.send({ from: by.wallet.address, to: SHOP, nonce, valueRaw: 1n, data: "0x" });

test("[TRD-08] what no node has shown yet has no nonce that could be called used", async () => {
	lab.chain.forgetPool();
	const used = other();
	for (let block = 0; block < 9; block++) lab.chain.mine();
	expect(await claim(null)).toBe("nonce_unknown");
	expect(await claim(used)).toBe("evidence_other");
});

test("[TRD-08] what was seen is given up once another one has its nonce, and is deep enough", async () => {
	await lab.tick();
	expect(await claim(null)).toBe("nonce_free");
	lab.chain.forgetPool();
	const used = other();
	lab.chain.mine();
	const { finalDepthBlocks } = lab.deps.settings;
	for (let depth = 0; depth < finalDepthBlocks; depth++) {
		expect([depth, await claim(null)]).toEqual([depth, "evidence_shallow"]);
		expect([depth, await claim(used)]).toEqual([depth, "evidence_shallow"]);
		lab.chain.mine();
	}
	expect(await claim(null)).toMatchObject({ kind: "never", code: "replaced" });
	expect(await claim(used)).toMatchObject({ kind: "never", code: "replaced" });
});

test("[TRD-08] what was planned is seen under its own hash, and under the one that used its nonce", async () => {
	await lab.tick();
	expect(await claim(hash)).toMatchObject({ kind: "seen", transactionHash: hash });
	lab.chain.mine();
	expect(await claim(null)).toMatchObject({ kind: "seen", transactionHash: hash });
});
