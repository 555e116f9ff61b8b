import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { settlePast } from "#plugins/wallets/resolve/resolveIntent.ts";
import { noteFailover } from "#plugins/wallets/submission/strays.ts";
import {
	CHAIN_ID,
	type Lab,
	openExecutionLab,
	SHOP,
} from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what a wallet sent that no record explains is read before the wallet spends, and what
// is like it is sent only by its owner's word.

const ETHER = 10n ** 18n;
const ELSEWHERE = `0x${"e".repeat(40)}` as const;
let database: TestDatabase;
let lab: Lab;
let by: Person;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	await database.db.execute("truncate wallets.blackout, wallets.account_read, wallets.stray");
	lab = openExecutionLab(database.db);
	by = await lab.person();
	// A payment that is on record: from now on counts have to be explained.
	await pay("0x01");
	mine();
	await lab.tick();
});

async function pay(data: Hex, ether = "0.5"): Promise<string> {
	const [intent] = await lab.pay(by, { data, ether });
	return intent?.id ?? "";
}
const read = (id: string) => lab.intent(id);
function mine(blocks = 4): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
}
/** The wallet is used by something else than this database knows. */
function sendElsewhere(nonce: number, data: Hex, to = SHOP, valueRaw = ETHER / 2n): Hex {
	return lab.chain.send({ from: by.wallet.address, to, nonce, valueRaw, data });
}
const approve = async (id: string) => {
	const { planHash } = await read(id);
	await lab.execution.approve(id, planHash ?? "0x");
	await lab.execution.advance([id], lab.signal);
};

test("an intent whose payment seems to be made already waits for its owner's answer", async () => {
	const sent = sendElsewhere(1, "0xabcdef01");
	mine();
	const id = await pay("0xabcdef01");
	expect(await read(id)).toMatchObject({
		...{ status: "confirmation_required", errorCode: "looks_paid", looksPaid: sent },
	});
	expect(lab.handed).toHaveLength(1);
	await lab.execution.signed(id, sent);
	await lab.tick();
	expect(await read(id)).toMatchObject({ status: "confirmed", transactionHash: sent });
	expect(lab.handed).toHaveLength(1);
});

test("a payment that looks made already is sent once its owner confirms it, and the next one asks again", async () => {
	sendElsewhere(1, "0xabcdef01");
	mine();
	const id = await pay("0xabcdef01");
	await approve(id);
	expect((await read(id)).status).toBe("submitted");
	expect(lab.handed.map(({ transaction }) => transaction.nonce)).toEqual([0, 2]);
	const third = await pay("0xabcdef01");
	expect(await read(third)).toMatchObject({ errorCode: "looks_paid" });
});

test("an unrelated transaction delays the wallet only while it is read, and asks no question", async () => {
	sendElsewhere(1, "0x", ELSEWHERE);
	sendElsewhere(2, "0x", ELSEWHERE, 1n);
	mine();
	const id = await pay("0xabcdef01");
	expect((await read(id)).status).toBe("submitted");
	expect(lab.handed.at(-1)?.transaction.nonce).toBe(3);
});

test("a transaction with the same function is asked about once, until its owner answers", async () => {
	const sent = sendElsewhere(1, "0xabcdef0101", SHOP, 7n);
	mine();
	const id = await pay("0xabcdef0102");
	expect(await read(id)).toMatchObject({ status: "confirmation_required", looksPaid: sent });
	const other = await pay("0xabcdef0103");
	await approve(other);
	expect((await read(other)).status).toBe("submitted");
	// Its owner said of another that it was none of ours: nobody is asked a third time.
	expect((await read(await pay("0xabcdef0104"))).status).toBe("submitted");
	await lab.execution.signed(id, sent);
	expect(await read(id)).toMatchObject({ status: "rejected", errorCode: "paid_before" });
});

test("a queued payment is not sent if an equal one was sent meanwhile", async () => {
	lab.moods.push("keeps, silent");
	const first = await pay("0x02");
	const id = await pay("0xabcdef01");
	expect((await read(id)).status).toBe("submitting");
	lab.chain.forgetPool();
	for (const [nonce, data] of [
		[1, "0x02"],
		[2, "0xabcdef01"],
	] as const) {
		sendElsewhere(nonce, data);
	}
	mine();
	for (let turn = 0; turn < 12; turn++) await lab.tick(5_000);
	expect(await read(id)).toMatchObject({ status: "failed", errorCode: "looks_paid" });
	expect((await read(first)).status).toBe("confirmed");
});

test("a payment waits unsent while no node shows the wallet's past, and operators are alerted", async () => {
	sendElsewhere(1, "0xabcdef01");
	mine();
	// The account itself is read by another method than its past.
	const { rpc, state } = lab.chain;
	const answer = rpc.call.bind(rpc);
	let isAway = true;
	rpc.call = async (call, options) => {
		state.isDown = isAway;
		return await answer(call, options).finally(() => {
			state.isDown = false;
		});
	};
	const id = await pay("0xabcdef01");
	expect((await read(id)).status).toBe("created");
	expect(lab.deps.nonceClaims.openPasts()).toHaveLength(1);
	isAway = false;
	await lab.tick(11_000);
	expect(await read(id)).toMatchObject({ errorCode: "looks_paid" });
	expect(lab.deps.nonceClaims.openPasts()).toEqual([]);
	expect(lab.handed).toHaveLength(1);
});

test("if no node keeps the state of a wallet's past, its owner is asked, and may confirm", async () => {
	mine(5_000);
	sendElsewhere(1, "0x", ELSEWHERE);
	mine();
	lab.chain.state.oldestState = 4_990;
	const id = await pay("0xabcdef01");
	expect(await read(id)).toMatchObject({
		...{
			status: "confirmation_required",
			errorCode: "looks_paid",
			looksPaid: `0x${"0".repeat(64)}`,
		},
	});
	await approve(id);
	expect((await read(id)).status).toBe("submitted");
});

test("after an ordinary start no wallet waits if its records explain its counts, even without old state", async () => {
	mine(5_000);
	await pay("0x01");
	mine();
	await lab.db.execute("insert into wallets.blackout (since, is_restored) values ($1, false)", [
		new Date(lab.clock.ms - 3_600_000),
	]);
	lab.chain.state.oldestState = 9_000;
	const id = await pay("0x02");
	expect((await read(id)).status).toBe("submitted");
});

test("a nonce that was planned for another of our payments hides no foreign transaction", async () => {
	// Handed over, refused, and its nonce given to the like of what is asked for later: all lost.
	lab.moods.push("keeps, silent");
	const lost = await pay("0x02");
	lab.chain.forgetPool();
	const sent = sendElsewhere(1, "0xabcdef01");
	mine();
	await lab.db.execute("insert into wallets.blackout (since, is_restored) values ($1, true)", [
		new Date(lab.clock.ms - 60_000),
	]);
	await lab.db.execute("update wallets.submission set state = 'doubtful' where intent_id = $1", [
		lost,
	]);
	const id = await pay("0xabcdef01");
	expect(await read(id)).toMatchObject({ errorCode: "looks_paid", looksPaid: sent });
});

test("an endpoint with false times or counts hides no transaction: the wallet waits", async () => {
	const sent = sendElsewhere(1, "0xabcdef01");
	mine();
	await lab.db.execute("insert into wallets.blackout (since, is_restored) values ($1, true)", [
		new Date(lab.clock.ms + 3_600_000),
	]);
	const id = await pay("0xabcdef01");
	expect(await read(id)).toMatchObject({ errorCode: "looks_paid", looksPaid: sent });
});

/** A database that was put back: a process found it so a minute ago, by the database's own time. */
async function restore(): Promise<void> {
	const since = new Date(lab.clock.ms - 3_600_000);
	lab.clock.ms = Date.now();
	await lab.db.execute(
		"insert into wallets.blackout (since, is_restored, found_at) values ($1, true, $2)",
		[since, new Date(lab.clock.ms - 60_000)],
	);
}

test("a confirmation for an unknown past ends that question for all payments of the wallet", async () => {
	mine(5_000);
	sendElsewhere(1, "0x", ELSEWHERE);
	mine();
	await restore();
	lab.chain.state.oldestState = 4_990;
	const id = await pay("0xabcdef01");
	expect(await read(id)).toMatchObject({ looksPaid: `0x${"0".repeat(64)}` });
	await approve(id);
	mine(5_000);
	lab.chain.state.oldestState = 9_990;
	expect((await read(await pay("0xabcdef02"))).status).toBe("submitted");
});

test("a confirmation ends the question about all earlier transactions that are alike", async () => {
	for (const nonce of [1, 2, 3]) sendElsewhere(nonce, `0xabcdef010${nonce}`, SHOP, 7n);
	mine();
	const id = await pay("0xabcdef0109");
	expect(await read(id)).toMatchObject({ errorCode: "looks_paid" });
	await approve(id);
	expect((await read(await pay("0xabcdef010a"))).status).toBe("submitted");
});

test("in a batch only the payments like a transaction are marked, and one confirmation is for all", async () => {
	const sent = sendElsewhere(1, "0xabcdef01");
	mine();
	const batchId = Bun.randomUUIDv7();
	const made = await lab.db.transaction((tx) =>
		lab.execution.create(
			tx,
			["0xabcdef01", "0xabcdef77"].map((data) => ({
				...({ kind: "pay", ...by, chainId: CHAIN_ID, channel: "api", batchId } as const),
				request: { valueRaw: String(ETHER / 2n), data, to: SHOP },
			})),
		),
	);
	const ids = made.map(({ id }) => id);
	await lab.execution.advance(ids, lab.signal);
	const asked = await Promise.all(ids.map(read));
	expect(asked.map(({ status }) => status)).toEqual(Array(2).fill("confirmation_required"));
	expect(asked.map(({ looksPaid }) => looksPaid)).toEqual([sent, null]);
	for (const { id, planHash } of asked) await lab.execution.approve(id, planHash ?? "0x");
	await lab.execution.advance(ids, lab.signal);
	for (let turn = 0; turn < 3; turn++) await lab.tick();
	const after = await Promise.all(ids.map(read));
	expect(after.map(({ status }) => status)).toEqual(["submitted", "submitted"]);
});

test("an owner's wallet with a pending transaction is asked, and gets its link by a confirmation", async () => {
	const owner = await lab.person({ capability: "external/manual" });
	await restore();
	const sent = {
		from: owner.wallet.address,
		to: SHOP,
		nonce: 0,
		valueRaw: 1n,
		data: "0x",
	} as const;
	lab.chain.send(sent);
	const [intent] = await lab.pay(owner, { data: "0xabcdef01" });
	const id = intent?.id ?? "";
	expect(await read(id)).toMatchObject({
		...{ status: "confirmation_required", errorCode: "looks_paid" },
	});
	await approve(id);
	expect((await read(id)).status).toBe("signature_required");
});

test("without an owner who can answer, an operator's decision unblocks the wallet, and is recorded", async () => {
	sendElsewhere(1, "0xabcdef01");
	mine();
	const id = await pay("0xabcdef01");
	expect(await read(id)).toMatchObject({ errorCode: "looks_paid" });
	const { deps, signal } = lab;
	await settlePast(deps, deps.audit, { intentId: id, actor: "ann", signal });
	expect(lab.audited.at(-1)).toMatchObject({
		...{ action: "trading.past.known", actor: "operator:ann" },
	});
	// What was asked about waits for its owner still; what is asked for next is sent.
	expect((await read(id)).status).toBe("confirmation_required");
	expect((await read(await pay("0xabcdef01"))).status).toBe("submitted");
	const other = await pay("0xabcdef02");
	const why = settlePast(deps, deps.audit, { intentId: other, actor: "ann", signal });
	expect(await why.catch(({ code }) => code)).toBe("intent_state");
});

test("after a database lost its last seconds, unexplained transactions are read without a restart", async () => {
	const id = await pay("0xabcdef01");
	mine();
	// As a replica that took over without the last commits.
	await lab.db.transaction(async (tx) => {
		await tx.execute("set local session_replication_role = replica");
		for (const table of ["submission", "spend_entry", "intent_move"]) {
			await tx.execute(`delete from wallets.${table} where intent_id = $1`, [id]);
		}
		await tx.execute("delete from wallets.intent where id = $1", [id]);
	});
	expect(await read(await pay("0xabcdef01"))).toMatchObject({ errorCode: "looks_paid" });
	expect(lab.handed).toHaveLength(2);
});

test("after a replica takes over, a wallet whose first payment it lacks is read before it spends", async () => {
	const { db } = lab;
	await db.execute(
		`insert into wallets.blackout (since, is_restored, timeline)
		select now(), false, left(pg_walfile_name(pg_current_wal_lsn()), 8)`,
		[],
	);
	expect(await noteFailover(db)).toBe(false);
	await db.execute("update wallets.blackout set timeline = 'ffffffff'", []);
	expect(await noteFailover(db)).toBe(true);
	expect(await noteFailover(db)).toBe(false);
	// Its first payment is on no record, so no count of ours is contradicted.
	const other = await lab.person();
	const from = other.wallet.address;
	const sent = { to: SHOP, nonce: 0, valueRaw: ETHER / 2n, data: "0xabcdef01" } as const;
	lab.chain.send({ from, ...sent });
	mine();
	const [intent] = await lab.pay(other, { data: "0xabcdef01" });
	expect(await read(intent?.id ?? "")).toMatchObject({ errorCode: "looks_paid" });
});
