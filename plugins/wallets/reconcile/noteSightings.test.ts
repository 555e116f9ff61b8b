import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import { noteSightings } from "#plugins/wallets/reconcile/noteSightings.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what a node showed once is kept for the time when no node shows it any more.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	await lab.pay(await lab.person());
	// As what its owner's own wallet sent: the nonce is known only by what nodes show.
	await lab.db.execute("update wallets.submission set nonce = null, from_block = null");
});

async function read() {
	const [row] = await lab.db.query<SubmissionRow & { signed: Uint8Array | null }>(
		`select ${submissionRow.columns}, s.signed from wallets.submission s`,
	);
	if (!row) throw new Error("nothing was sent");
	return { submission: submissionRow.read(row), signed: row.signed };
}
const note = async (isAsked: boolean) => {
	const { submission } = await read();
	const { transactionHash: hash } = submission;
	if (!hash) throw new Error("it has no hash");
	const asked = { hash, minBlock: 0, signal: lab.signal };
	const sighting = isAsked ? await readReceipt(lab.chain.rpc, asked) : null;
	await lab.db.transaction((tx) => {
		const at = new Date(lab.clock.ms);
		return noteSightings(lab.deps, tx, { seen: [{ submission, sighting }], at });
	});
};

test("[TRD-08] its nonce, its bytes and where its nonce was free outlive looks that show less", async () => {
	await note(true);
	const shown = await read();
	expect(shown.submission).toMatchObject({ seenNonce: 0, fromBlock: 0 });
	expect(shown.signed).not.toBeNull();
	lab.chain.mine();
	// By its block alone, and then mined.
	for (const isAsked of [false, true]) {
		lab.clock.ms += 1_000;
		await note(isAsked);
		const now = await read();
		expect(now.signed).toEqual(shown.signed);
		expect(now.submission).toMatchObject({ seenNonce: 0, fromBlock: 0, seenAtMs: lab.clock.ms });
	}
	// Deep enough that no chain takes it back.
	for (let block = 0; block < 9; block++) lab.chain.mine();
	await note(true);
	expect((await read()).signed).toBeNull();
});

test("[TRD-08] a nonce that was seen late is looked for from as deep as blocks can leave the chain", async () => {
	for (let block = 0; block < 9; block++) lab.chain.mine();
	// It was mined in the first of nine.
	await note(true);
	const { finalDepthBlocks } = lab.deps.settings;
	expect((await read()).submission.fromBlock).toBe(Math.max(0, 1 - finalDepthBlocks));
	await lab.db.execute("update wallets.submission set from_block = null, final_at = null");
	await lab.pay(await lab.person());
	lab.chain.mine();
	await lab.db.execute("delete from wallets.submission where nonce is null");
	await lab.db.execute("update wallets.submission set from_block = null");
	await note(true);
	expect((await read()).submission.fromBlock).toBe(10 - finalDepthBlocks);
});
