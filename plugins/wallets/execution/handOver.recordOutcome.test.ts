import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { SendOutcome } from "#plugins/custody/contract.ts";
import { type HandOver, recordOutcome } from "#plugins/wallets/execution/handOver.ts";
import type { SubmissionState } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what handing over came to counts where nobody has found out more meanwhile.

const RESERVED = 1_000_000_000;
const HASH: Hex = `0x${"ab".repeat(32)}`;
const REFUSED: SendOutcome = { kind: "refused", code: "wallet_provider_refused", detail: "no" };
const UNKNOWN: SendOutcome = { kind: "unknown", detail: "no answer" };
const SENT: SendOutcome = { kind: "sent", transactionHash: HASH, transactionId: "t" };
let database: TestDatabase;
let lab: Lab;
let given: HandOver;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	given = await handedOver();
});

/** A hand-over whose process has not told yet what came of it. */
async function handedOver(): Promise<HandOver> {
	const by = await lab.person();
	const [intent] = await lab.pay(by);
	const intentId = intent?.id ?? "";
	await lab.db.execute(
		`update wallets.submission set state = 'sending', transaction_hash = null where intent_id = $1`,
		[intentId],
	);
	await lab.db.execute("update wallets.intent set status = 'submitting' where id = $1", [intentId]);
	const { referenceId = "", transaction } = lab.handed.at(-1) ?? {};
	if (!transaction) throw new Error("nothing was handed over");
	return {
		...{ submissionId: referenceId, intentId, profileId: by.profile.id, transaction },
		...{ purpose: "pay", providerWalletId: "", handOverUntilMs: 0, validUntilMs: 0 },
	};
}

const record = (outcome: SendOutcome) => recordOutcome(lab.deps, { given, outcome });
const state = async () => {
	const rows = await lab.db.query<{ state: string }>(
		"select state from wallets.submission where id = $1",
		[given.submissionId],
	);
	return rows[0]?.state;
};
const become = async (to: SubmissionState, status: string) => {
	await lab.db.execute("update wallets.submission set state = $2 where id = $1", [
		...[given.submissionId, to],
	]);
	await lab.db.execute("update wallets.intent set status = $2 where id = $1", [
		...[given.intentId, status],
	]);
};
async function everything(): Promise<unknown> {
	return await Promise.all(
		["submission", "intent", "intent_move", "spend_entry"].map((table) =>
			lab.db.query(`select to_jsonb(t) from wallets.${table} t order by 1`),
		),
	);
}

for (const [found, status] of [
	["sent", "submitted"],
	["dropped", "uncertain"],
	["mined", "confirmed"],
	["reverted", "failed"],
	["never", "failed"],
	// Whatever says so while the intent still waits for the answer: the submission counts.
	["mined", "submitting"],
	["never", "submitting"],
	["queued", "submitting"],
] as const) {
	test(`[TRD-08] a late answer does not change a submission that is ${found} by then (${status})`, async () => {
		await become(found, status);
		const before = await everything();
		for (const outcome of [REFUSED, UNKNOWN, SENT]) {
			await record(outcome);
			expect(await everything()).toEqual(before);
		}
	});
}

test("[TRD-08] a late refusal releases nothing of a submission that is already uncertain", async () => {
	await become("doubtful", "uncertain");
	const before = await everything();
	await record(REFUSED);
	await record(UNKNOWN);
	expect(await everything()).toEqual(before);
	// A late hash is worth more: it is found.
	await record(SENT);
	expect(await state()).toBe("sent");
	expect(await lab.intent(given.intentId)).toMatchObject({
		...{ status: "submitted", transactionHash: HASH },
	});
});

test("[TRD-08] a refusal in time releases the spend once, however often it is reported", async () => {
	await record(REFUSED);
	await record(REFUSED);
	expect(await state()).toBe("never");
	expect(await lab.intent(given.intentId)).toMatchObject({
		...{ status: "failed", errorCode: "wallet_provider_refused" },
	});
	expect(await lab.ledger(given.intentId)).toEqual({ reserve: RESERVED, release: RESERVED });
});

test("[TRD-08] without an answer the spend stays reserved, and the payment is uncertain", async () => {
	await record(UNKNOWN);
	expect(await state()).toBe("doubtful");
	expect((await lab.intent(given.intentId)).status).toBe("uncertain");
	expect(await lab.ledger(given.intentId)).toEqual({ reserve: RESERVED });
});

test("[TRD-08] a hash that belongs to another intent of the same wallet counts as no answer", async () => {
	const sender = Buffer.from(given.transaction.from.slice(2), "hex");
	const theirs = await handedOver();
	await lab.db.execute(
		`update wallets.submission set state = 'mined', sender = $2, nonce = 9, transaction_hash = $3
		where id = $1`,
		[theirs.submissionId, sender, Buffer.from(HASH.slice(2), "hex")],
	);
	await record(SENT);
	expect(await state()).toBe("doubtful");
	expect(await lab.intent(given.intentId)).toMatchObject({
		...{ status: "uncertain", transactionHash: null },
	});
	expect(await lab.ledger(given.intentId)).toEqual({ reserve: RESERVED });
	expect(given.transaction.to).toBe(SHOP);
});

test("[TRD-08] a receipt that is found between the two writes of a late hash decides", async () => {
	await become("doubtful", "uncertain");
	let writes = 0;
	const { commits } = lab.deps;
	const together: typeof commits.together = async (owner, work) => {
		if (++writes === 2) await become("reverted", "failed");
		return commits.together(owner, work);
	};
	const deps = { ...lab.deps, commits: { ...commits, together } };
	expect(await recordOutcome(deps, { given, outcome: SENT })).toBeNull();
	expect(writes).toBe(2);
	const rows = await lab.db.query("select status from wallets.intent where id = $1", [
		given.intentId,
	]);
	expect([await state(), rows]).toEqual(["reverted", [{ status: "failed" }]]);
});
