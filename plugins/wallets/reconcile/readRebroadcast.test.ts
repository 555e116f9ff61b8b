import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/limits.ts";
import { readRebroadcast } from "#plugins/wallets/reconcile/readRebroadcast.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what every node forgot is neither believed in for ever nor given up: it is in doubt,
// broadcast again as the very bytes it was, and over only once its nonce went to another.

let database: TestDatabase;
let lab: Lab;
let by: Person;
let id: string;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	lab = openExecutionLab(database.db);
	await setRebroadcast(true);
	by = await lab.person();
	const [intent] = await lab.pay(by);
	id = intent?.id ?? "";
});

const setRebroadcast = (value: boolean) =>
	database.db.execute(
		`insert into wallets.control values ('rebroadcast', $1::jsonb, 'operator', now())
		on conflict (key) do update set value = excluded.value`,
		[String(value)],
	);
const status = async (of = id) => (await lab.intent(of)).status;
const RESERVED = 1_000_000_000;
/** Nodes forget it. Nobody is asked before the time is over. */
async function drop(): Promise<void> {
	lab.chain.forgetPool();
	await lab.tick(UNSEEN_DROPPED_MS + 1_000);
}
/** Another transaction of the same account's takes the nonce. */
function takeNonce(): void {
	lab.chain.send({ from: by.wallet.address, to: SHOP, nonce: 0, valueRaw: 1n, data: "0x" });
	lab.chain.mine();
}

test("for some minutes a node that does not know it proves nothing", async () => {
	lab.chain.forgetPool();
	await lab.tick(UNSEEN_DROPPED_MS);
	expect(await status()).toBe("submitted");
	await lab.tick(UNSEEN_DROPPED_MS);
	expect(await status()).toBe("uncertain");
});

test("the minutes are counted from when a node last knew it", async () => {
	await lab.tick(UNSEEN_DROPPED_MS * 3);
	lab.chain.forgetPool();
	await lab.tick(UNSEEN_DROPPED_MS - 1_000);
	expect(await status()).toBe("submitted");
});

test("it is broadcast again as it was, with the hash it had, and pays once", async () => {
	await lab.tick();
	const [before] = lab.chain.pool();
	await drop();
	expect(await status()).toBe("uncertain");
	expect(lab.chain.pool()).toEqual(before ? [before] : []);
	await lab.tick(400_000);
	expect(await status()).toBe("submitted");
	lab.chain.mine();
	await lab.tick(400_000);
	expect(await status()).toBe("confirmed");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
	expect(await lab.moves(id)).toEqual(["reserve", "sent", "doubt", "found", "mined"]);
	expect(lab.handed).toHaveLength(1);
	expect(lab.chain.minedFrom(by.wallet.address)).toBe(1);
});

test("nothing is broadcast again by itself, unless an operator switched that on", async () => {
	for (const unset of [
		() => setRebroadcast(false),
		() => lab.db.execute("delete from wallets.control"),
	]) {
		await unset();
		await lab.tick();
		await drop();
		await lab.tick(400_000);
		expect(await status()).toBe("uncertain");
		expect(lab.chain.pool()).toEqual([]);
	}
});

test("a node that takes it no more leaves it in doubt, and it is offered again", async () => {
	await lab.tick();
	const { rpc } = lab.chain;
	const offered: unknown[] = [];
	const { call } = rpc;
	rpc.call = async (asked, options) => {
		if (asked.method === "eth_sendRawTransaction") {
			offered.push(asked.params[0]);
			if (offered.length === 1) lab.chain.state.isDown = true;
		}
		return call(asked, options);
	};
	await drop();
	expect(await status()).toBe("uncertain");
	lab.chain.state.isDown = false;
	await lab.tick(400_000);
	expect(offered).toHaveLength(2);
	expect(new Set(offered).size).toBe(1);
	await lab.tick(400_000);
	expect(await status()).toBe("submitted");
});

test("where its bytes were never seen it is looked for, and nothing else is sent for it", async () => {
	lab.chain.forgetPool();
	for (let turn = 0; turn < 40; turn++) await lab.tick(600_000);
	expect(await status()).toBe("uncertain");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
	expect(lab.handed).toHaveLength(1);
	expect(lab.chain.pool()).toEqual([]);
});

test("bytes of another hash are not broadcast for it", async () => {
	await lab.tick();
	await lab.db.execute("update wallets.submission set signed = $1", [new Uint8Array([1, 2, 3])]);
	const { rpc } = lab.chain;
	const { call } = rpc;
	const asked: string[] = [];
	rpc.call = async (one, options) => (asked.push(one.method), call(one, options));
	await drop();
	await lab.tick(400_000);
	expect(asked.length).toBeGreaterThan(0);
	expect(asked).not.toContain("eth_sendRawTransaction");
	expect(lab.chain.pool()).toEqual([]);
	expect(await status()).toBe("uncertain");
});

test("[TRD-08] nor is what somebody has found out about meanwhile, or what its owner's wallet sent", async () => {
	await lab.tick();
	lab.state.isDryRun = true;
	await drop();
	lab.state.isDryRun = false;
	const [row] = await lab.db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s`,
	);
	if (!row) throw new Error("nothing was sent");
	const submission = submissionRow.read(row);
	const intent = await lab.intent(id);
	const bytes = () =>
		lab.db.transaction((tx) => readRebroadcast(lab.deps, tx, { submission, intent }));
	expect(await bytes()).not.toBeNull();
	for (const change of [
		...["sending", "sent", "doubtful", "mined", "reverted", "never"].map((to) => `state = '${to}'`),
		...["nonce = null", "signed = null", "transaction_hash = null"],
	]) {
		await lab.db.execute("create table before as select * from wallets.submission");
		try {
			await lab.db.execute(`update wallets.submission set ${change}`);
			expect([change, await bytes()]).toEqual([change, null]);
		} finally {
			await lab.db.execute(
				`update wallets.submission s set state = b.state, nonce = b.nonce, signed = b.signed,
					transaction_hash = b.transaction_hash from before b where b.id = s.id`,
			);
			await lab.db.execute("drop table before");
		}
	}
	expect(await bytes()).not.toBeNull();
});

for (const how of ["kill:all", "a dry run"] as const) {
	test(`${how} holds it back as well, and nothing is lost by that`, async () => {
		await lab.tick();
		const set = (value: string) =>
			lab.db.execute(
				`insert into wallets.control (key, value, changed_by, changed_at)
				values ('kill:all', $1, 'x', now()) on conflict (key) do update set value = $1`,
				[value],
			);
		if (how === "a dry run") lab.state.isDryRun = true;
		else await set("true");
		await drop();
		await lab.tick(400_000);
		expect(lab.chain.pool()).toEqual([]);
		lab.state.isDryRun = false;
		await set("false");
		await lab.tick(400_000);
		expect(lab.chain.pool()).toHaveLength(1);
	});
}

test("nothing of the same account follows a dropped one, and what was sent is dropped beside it", async () => {
	const [second] = await lab.pay(by);
	expect(await status(second?.id)).toBe("submitted");
	await drop();
	const [third] = await lab.pay(by);
	expect([await status(), await status(second?.id), third?.status]).toEqual([
		"uncertain",
		"uncertain",
		"submitting",
	]);
	expect(lab.handed).toHaveLength(2);
});

test("it is over, and given back, once another transaction has its nonce for good", async () => {
	await drop();
	takeNonce();
	await lab.tick(400_000);
	// A block that can still leave the chain proves nothing.
	expect(await status()).toBe("uncertain");
	for (let turn = 0; turn < 3; turn++) lab.chain.mine();
	await lab.tick(400_000);
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "not_sent" });
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
	const [next] = await lab.pay(by);
	expect(next?.status).toBe("submitted");
});

test("one that is mined after all is paid for, wherever it had been", async () => {
	await lab.tick();
	const [hidden] = lab.chain.pool();
	lab.state.isDryRun = true;
	await drop();
	if (hidden) lab.chain.send(hidden);
	lab.chain.mine();
	await lab.tick(400_000);
	expect(await status()).toBe("confirmed");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
});
