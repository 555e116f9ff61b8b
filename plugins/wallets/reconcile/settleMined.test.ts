import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { type MinedToSettle, settleMined } from "#plugins/wallets/reconcile/settleMined.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what is mined is settled once, with its own money, wherever its intent stood by then.

const PAID = 1_000_000_000;
let database: TestDatabase;
let lab: Lab;
let intent: Intent;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	const [paid] = await lab.pay(await lab.person());
	if (!paid) throw new Error("no intent");
	intent = paid;
});

/** All that was sent, as a look at it finds it. */
async function mined(): Promise<MinedToSettle[]> {
	lab.chain.mine();
	const rows = await lab.db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s order by created_at, id`,
	);
	return await Promise.all(
		rows.map(async (row) => {
			const submission = submissionRow.read(row);
			const { transactionHash } = submission;
			if (!transactionHash) throw new Error("it was not sent");
			const asked = { hash: transactionHash, minBlock: 0, signal: lab.signal };
			const sighting = await readReceipt(lab.chain.rpc, asked);
			if (!sighting?.receipt) throw new Error("it is not mined");
			const { receipt } = sighting;
			return { submission, transactionHash, sighting, receipt, spentRaw: null };
		}),
	);
}
const settle = (found: readonly MinedToSettle[]) =>
	lab.db.transaction((tx) =>
		settleMined(lab.deps, tx, { mined: found, at: new Date(lab.clock.ms) }),
	);
const lastMoves = async (count: number) =>
	lab.db.query(
		`select event, from_status, to_status from (
			select * from wallets.intent_move where intent_id = $1 order by seq desc limit $2
		) newest order by seq`,
		[intent.id, count],
	);

test("[TRD-08] what waits for it is settled once, however often it is told", async () => {
	const found = await mined();
	await settle(found);
	await settle(found);
	expect(await lab.moves(intent.id)).toEqual(["reserve", "sent", "mined"]);
	expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID });
});

test("[TRD-08] each of many has its own money spent, and nobody else's", async () => {
	const others = await lab.pay(await lab.person(), { times: 2, ether: "0.1" });
	await settle(await mined());
	expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID });
	for (const { id } of others) {
		expect(await lab.ledger(id)).toEqual({ reserve: PAID / 5, spend: PAID / 5 });
	}
});

test("[TRD-08] an intent in doubt is moved from where it stands", async () => {
	await lab.db.execute("update wallets.intent set status = 'uncertain'");
	await settle(await mined());
	expect(await lastMoves(1)).toEqual([
		{ event: "mined", from_status: "uncertain", to_status: "confirmed" },
	]);
	expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID });
});

test("[TRD-08] one that was given up is found first of all", async () => {
	await lab.db.execute("update wallets.intent set status = 'failed'");
	await settle(await mined());
	expect(await lastMoves(2)).toEqual([
		{ event: "found", from_status: "failed", to_status: "submitted" },
		{ event: "mined", from_status: "submitted", to_status: "confirmed" },
	]);
});

test("[TRD-08] one that is confirmed already is not confirmed again", async () => {
	await lab.db.execute("update wallets.intent set status = 'confirmed'");
	await settle(await mined());
	expect(await lab.moves(intent.id)).toEqual(["reserve", "sent"]);
	expect((await lab.intent(intent.id)).status).toBe("confirmed");
});

test("[TRD-08] what was spent, taken back or given back before counts as it stands", async () => {
	const follow = (move: Parameters<typeof followSpend>[1]["move"]) =>
		lab.db.transaction((tx) => {
			return followSpend(tx, { intentId: intent.id, move, at: new Date(lab.clock.ms) });
		});
	// Spent and taken back by a reorg: it is spent again, for once the amount.
	await follow("spend");
	await follow("unspend");
	const found = await mined();
	await settle(found);
	expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: 2 * PAID, unspend: PAID });
	// Spent and not taken back: not a second time.
	await lab.db.execute("update wallets.submission set state = 'sent'");
	await lab.db.execute("update wallets.intent set status = 'submitted'");
	await settle(found);
	expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: 2 * PAID, unspend: PAID });
});

test("[TRD-08] what nothing was reserved for spends nothing", async () => {
	await lab.db.execute("delete from wallets.spend_entry");
	await settle(await mined());
	expect((await lab.intent(intent.id)).status).toBe("confirmed");
	expect(await lab.ledger(intent.id)).toEqual({});
});
