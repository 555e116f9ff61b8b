import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { CustodyTransaction } from "#plugins/custody/contract.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import { reserveIntent } from "#plugins/wallets/execution/reserveIntent.ts";
import type { Intent, Plan, SubmissionState } from "#plugins/wallets/model.ts";
import { hashPlan } from "#plugins/wallets/plan.ts";
import { chooseNonce, readNonceQueue } from "#plugins/wallets/submission/nonceQueue.ts";
import {
	beginningOf,
	beginSubmission,
	recordSent,
	type SubmissionRow,
	submissionRow,
} from "#plugins/wallets/submission/submission.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: an account sends one transaction at a time, each under a nonce of its own.

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

type By = Awaited<ReturnType<Lab["person"]>>;
const account: AccountState = {
	balanceRaw: 10n ** 20n,
	minedNonce: 3,
	pendingNonce: 3,
	maxFeePerGas: 16n,
	maxPriorityFeePerGas: 2n,
	headBlock: 9,
};

const planOf = (by: By): Plan => ({
	chainId: 31_337,
	from: by.wallet.address,
	to: SHOP,
	valueRaw: 2n ** 200n,
	data: "0x12",
	spend: { currency: `0x${"c".repeat(40)}`, raw: 7n ** 80n, decimals: 18, symbol: "ETH" },
	recipient: SHOP,
	shown: {},
	expiresAtMs: 0,
});

/** Puts transactions in line; answers their ids in order. */
async function queue(by: By, count: number): Promise<{ id: string; intent: Intent }[]> {
	const intents = await lab.pay(by, { times: count, stays: true });
	const line = intents.map((intent) => ({ id: Bun.randomUUIDv7(), intent }));
	const at = new Date(lab.clock.ms);
	const plan = planOf(by);
	const planned = { plan, planHash: hashPlan(plan), gasLimit: 25_000n };
	const how = { ...planned, usdMicros: 1n, beginning: null, session: "s", headBlock: 9 };
	await lab.db.transaction(async (tx) => {
		for (const { id: submissionId, intent } of line) {
			const of = { intentId: intent.id, submissionId, sender: by.wallet.address };
			expect(await reserveIntent(tx, { ...how, ...of, at, expiresAt: at })).toBe(true);
		}
	});
	return line;
}

function begin(
	by: By,
	submissionId: string,
	state: Partial<AccountState> = {},
): Promise<CustodyTransaction | null> {
	const plan = planOf(by);
	const at = new Date(lab.clock.ms);
	const times = { at, validUntil: new Date(lab.clock.ms + 6_000) };
	const found = { ...account, ...state };
	const asked = { plan, session: "s2", account: found, gasLimit: 25_000n };
	return lab.db.transaction(async (tx) => {
		const queue = await readNonceQueue(tx, plan, found);
		const counts = { mined: found.minedNonce, pending: found.pendingNonce };
		const choice = chooseNonce(queue, counts, queue.past);
		if (queue.isSending || choice.kind !== "nonce") return null;
		const beginning = beginningOf(choice.nonce, { ...asked, ...times });
		const isBegun = await beginSubmission(tx, submissionId, beginning);
		return isBegun ? beginning.transaction : null;
	});
}

const become = (id: string, state: SubmissionState) =>
	lab.db.execute("update wallets.submission set state = $2 where id = $1", [id, state]);

async function read(id: string) {
	const rows = await lab.db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s where s.id = $1`,
		[id],
	);
	if (!rows[0]) throw new Error("no submission");
	return submissionRow.read(rows[0]);
}

test("a queued submission has no nonce, and one that is handed over has all sent values", async () => {
	const by = await lab.person();
	const [one] = await queue(by, 1);
	const id = one?.id ?? "";
	expect(await read(id)).toMatchObject({
		id,
		intentId: one?.intent.id ?? "",
		sender: by.wallet.address,
		state: "queued",
		nonce: null,
		gasLimit: 25_000n,
		sentAtMs: null,
	});
	expect(await begin(by, id)).toEqual({
		chainId: 31_337,
		from: by.wallet.address,
		to: SHOP,
		valueRaw: 2n ** 200n,
		data: "0x12",
		nonce: 3,
		gasLimit: 25_000n,
		maxFeePerGas: 16n,
		maxPriorityFeePerGas: 2n,
	});
	expect(await read(id)).toMatchObject({
		state: "sending",
		nonce: 3,
		fromBlock: 9,
		session: "s2",
		sentAtMs: lab.clock.ms,
		validUntilMs: lab.clock.ms + 6_000,
	});
});

test("a submission that was begun is not begun again", async () => {
	const by = await lab.person();
	const [one] = await queue(by, 1);
	const id = one?.id ?? "";
	expect(await begin(by, id)).not.toBeNull();
	for (const state of [
		"sending",
		"sent",
		"doubtful",
		"dropped",
		"mined",
		"reverted",
		"never",
	] as const) {
		await become(id, state);
		expect(await begin(by, id)).toBeNull();
	}
});

test("no submission begins after one that may have been sent", async () => {
	const by = await lab.person();
	const [one, two] = await queue(by, 2);
	await begin(by, one?.id ?? "");
	for (const state of ["sending", "doubtful", "dropped"] as const) {
		await become(one?.id ?? "", state);
		expect(await begin(by, two?.id ?? "")).toBeNull();
		expect((await read(two?.id ?? "")).state).toBe("queued");
	}
	await become(one?.id ?? "", "sent");
	// The node has not seen the first: ours counts all the same.
	expect((await begin(by, two?.id ?? ""))?.nonce).toBe(4);
});

test("a nonce whose transaction can never be mined is used again, and a used one is not", async () => {
	const by = await lab.person();
	const [one, two, three] = await queue(by, 3);
	await begin(by, one?.id ?? "");
	await become(one?.id ?? "", "never");
	expect((await begin(by, two?.id ?? ""))?.nonce).toBe(3);
	await become(two?.id ?? "", "mined");
	expect((await begin(by, three?.id ?? "", { minedNonce: 4, pendingNonce: 4 }))?.nonce).toBe(4);
});

test("accounts do not wait for each other", async () => {
	const [anna, bert] = [await lab.person(), await lab.person()];
	const [[one], [two]] = [await queue(anna, 1), await queue(bert, 1)];
	expect((await begin(anna, one?.id ?? ""))?.nonce).toBe(3);
	expect((await begin(bert, two?.id ?? ""))?.nonce).toBe(3);
});

test("chains of one account do not wait for each other, and each has its own nonces", async () => {
	const by = await lab.person();
	const [one] = await queue(by, 1);
	await begin(by, one?.id ?? "");
	const on = (chainId: number) =>
		lab.db.transaction((tx) => readNonceQueue(tx, { chainId, from: by.wallet.address }, account));
	for (const state of ["sending", "doubtful", "dropped"] as const) {
		await become(one?.id ?? "", state);
		expect(await on(31_337)).toMatchObject({
			isSending: state === "sending",
			held: [{ nonce: 3, state, purpose: "pay" }],
			ownCount: 4,
		});
		expect(await on(1)).toEqual({
			...{ isSending: false, held: [], finalCount: 0, ownCount: null, promisedRaw: 0n },
			past: { explained: 0, unreadSince: null, strays: [] },
		});
	}
});

test("unmined and queued payments reserve their value and gas of the balance", async () => {
	const by = await lab.person();
	const [one] = await queue(by, 2);
	const promised = async (minedNonce = 3) => {
		const { promisedRaw } = await lab.db.transaction((tx) =>
			readNonceQueue(tx, planOf(by), { minedNonce, maxFeePerGas: 20n }),
		);
		return promisedRaw;
	};
	const queued = 2n ** 200n + 25_000n * 20n;
	expect(await promised()).toBe(2n * queued);
	await begin(by, one?.id ?? "");
	const sent = 2n ** 200n + 25_000n * 16n;
	for (const state of ["sending", "sent", "doubtful", "dropped", "mined", "reverted"] as const) {
		await become(one?.id ?? "", state);
		expect(await promised()).toBe(queued + sent);
	}
	// The node counts it: it is out of the balance already, whether we have settled it or not.
	expect(await promised(4)).toBe(queued);
	for (const state of ["refused", "never"] as const) {
		await become(one?.id ?? "", state);
		expect(await promised()).toBe(queued);
	}
});

test("the database refuses two submissions with the same turn, payment or hash", async () => {
	const by = await lab.person();
	const [one, two] = await queue(by, 2);
	await begin(by, one?.id ?? "");
	const set = (what: string, id = two?.id ?? "") =>
		lab.db.execute(`update wallets.submission set ${what} where id = $1`, [id]).then(
			() => "written",
			() => "refused",
		);
	expect(await set("state = 'sending'")).toBe("refused");
	expect(await set(`intent_id = '${one?.intent.id}'`)).toBe("refused");
	expect(await set(`intent_id = '${one?.intent.id}', purpose = 'cancel'`)).toBe("written");
	const hash = "transaction_hash = sha256('x')";
	expect(await set(hash, one?.id)).toBe("written");
	expect(await set(hash)).toBe("refused");
});

test("a finding about one submission is written, whichever other one shares its nonce", async () => {
	const by = await lab.person();
	const [one, two] = await queue(by, 2);
	await begin(by, one?.id ?? "");
	await become(one?.id ?? "", "refused");
	expect((await begin(by, two?.id ?? ""))?.nonce).toBe(3);
	for (const state of ["sent", "doubtful", "dropped", "mined", "refused", "never"] as const) {
		await become(one?.id ?? "", state);
	}
});

const HASH = `0x${"ab".repeat(32)}` as const;
const tell = (submissionId: string, transactionHash: `0x${string}` = HASH) =>
	lab.db.transaction((tx) =>
		recordSent(tx, {
			submissionId,
			transactionHash,
			transactionId: "t",
			at: new Date(lab.clock.ms),
			lookAt: new Date(lab.clock.ms),
		}),
	);

test("an intent with a reservation is not reserved again, and leaves no second record", async () => {
	const by = await lab.person();
	const [one] = await queue(by, 1);
	const intentId = one?.intent.id ?? "";
	const at = new Date(lab.clock.ms);
	const plan = planOf(by);
	const planHash = hashPlan(plan);
	const again = await lab.db.transaction((tx) =>
		reserveIntent(tx, {
			...{ intentId, plan, planHash, gasLimit: 1n, usdMicros: 1n, sender: SHOP, session: "s" },
			headBlock: 9,
			...{ submissionId: Bun.randomUUIDv7(), beginning: null, at, expiresAt: at },
		}),
	);
	expect(again).toBe(false);
	expect(await lab.ledger(intentId)).toEqual({ reserve: 1 });
	expect(await lab.moves(intentId)).toEqual(["reserve"]);
	expect(await lab.db.query("select 1 from wallets.submission")).toHaveLength(1);
});

test("[TRF-03] the reservation equals the plan's spend, with its owner and currency, exactly", async () => {
	const by = await lab.person();
	const [one] = await queue(by, 1);
	const intentId = one?.intent.id ?? "";
	const rows = await lab.db.query(
		`select kind, intent_id, profile_id, wallet_id, chain_id, encode(currency, 'hex') as currency,
			amount_raw::text as amount, usd_micros::int8 as usd from wallets.spend_entry`,
	);
	const { currency, raw } = planOf(by).spend;
	expect(rows).toEqual([
		{
			...{ kind: "reserve", intent_id: intentId, chain_id: 31_337 },
			...{ profile_id: by.profile.id, wallet_id: by.wallet.id },
			...{ currency: currency.slice(2), amount: String(raw), usd: 1 },
		},
	]);
	const plan = planOf(by);
	expect(await lab.intent(intentId)).toMatchObject({ plan, planHash: hashPlan(plan) });
});

test("a report of sending is written to an open submission, and moves its waiting intent", async () => {
	const by = await lab.person();
	const [one] = await queue(by, 1);
	const [id, intentId] = [one?.id ?? "", one?.intent.id ?? ""];
	expect(await tell(id)).toEqual({ isWritten: false, isMoved: false });
	await begin(by, id);
	expect(await tell(id)).toEqual({ isWritten: true, isMoved: true });
	expect(await read(id)).toMatchObject({ state: "sent", transactionHash: HASH });
	expect((await lab.intent(intentId)).status).toBe("submitted");
	for (const state of ["sent", "dropped", "mined", "reverted", "never"] as const) {
		await become(id, state);
		expect(await tell(id)).toEqual({ isWritten: false, isMoved: false });
	}
	await become(id, "doubtful");
	await lab.db.execute("update wallets.intent set status = 'uncertain'");
	// Written, and the caller has to find it.
	expect(await tell(id)).toEqual({ isWritten: true, isMoved: false });
	expect(await lab.moves(intentId)).toEqual(["reserve", "sent"]);
});

test("one hash belongs to one intent of a sender, and a stranger may report the same hash", async () => {
	const [anna, bert] = [await lab.person(), await lab.person()];
	const [[one, two], [other]] = [await queue(anna, 2), await queue(bert, 1)];
	await begin(anna, one?.id ?? "");
	await tell(one?.id ?? "");
	await begin(anna, two?.id ?? "");
	expect(await tell(two?.id ?? "")).toEqual({ isWritten: false, isMoved: false });
	expect((await lab.intent(two?.intent.id ?? "")).status).toBe("submitting");
	await begin(bert, other?.id ?? "");
	expect(await tell(other?.id ?? "")).toEqual({ isWritten: true, isMoved: true });
});

test("[TRD-08] a hash on another chain is another transaction, also for the same sender", async () => {
	const by = await lab.person();
	const [one, two] = await queue(by, 2);
	await begin(by, one?.id ?? "");
	await tell(one?.id ?? "");
	await lab.db.execute("update wallets.submission set chain_id = 1 where state = 'sent'");
	await begin(by, two?.id ?? "");
	expect(await tell(two?.id ?? "")).toEqual({ isWritten: true, isMoved: true });
});

test("a submission accepts no state, account or hash of another form", async () => {
	const [one] = await queue(await lab.person(), 1);
	for (const [wrong, value] of [
		["state", "lost"],
		["sender", "\\x00"],
		["transaction_hash", "\\x00"],
		["block_hash", "\\x00"],
	] as const) {
		const change = lab.db.execute(`update wallets.submission set ${wrong} = $2 where id = $1`, [
			...[one?.id ?? "", value],
		]);
		await expect(change).rejects.toThrow("violates check");
	}
});
