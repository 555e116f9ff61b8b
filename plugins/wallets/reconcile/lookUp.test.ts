import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import {
	PROOF_GRACE_MS,
	SIGNED_UNSEEN_MS,
	UNSEEN_DROPPED_MS,
} from "#plugins/wallets/reconcile/looks.ts";
import { readRebroadcast } from "#plugins/wallets/reconcile/lookUp.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submission.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("lookUp.silence", () => {
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

	test("[TRD-08] the wallet provider's records are waited for after its time to send is over", async () => {
		await lookAt(provedAtMs - PROOF_GRACE_MS + 1);
		await expectOpen();
		await lookAt(provedAtMs);
		await expectOpen();
		await lookAt(provedAtMs + 1_000);
		await expectGivenBack();
	});

	test("[TRD-08] a transaction that waits under the nonce may be the payment: nothing is released", async () => {
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

	test("[TRD-08] an unknown transaction that used the nonce may be the payment: nothing is released", async () => {
		for (let block = 0; block < 300; block++) lab.chain.mine();
		lab.chain.send({ from: by.wallet.address, to: SHOP, nonce: 0, valueRaw: 1n, data: "0x" });
		for (let block = 0; block < 300; block++) lab.chain.mine();
		lab.chain.state.oldestState = 600;
		await lookAt(provedAtMs + 60_000);
		await expectOpen();
		lab.chain.state.oldestState = 0;
		await lab.tick(1_000);
		await expectGivenBack();
	});

	test("[TRD-08] a wallet provider that still has it proves nothing; one that gave it up does", async () => {
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

	test("[TRD-08] a payment with an id of the wallet provider is looked up by that id", async () => {
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

	test("[TRD-08] a wallet provider that is unreachable has denied nothing, however late it is", async () => {
		lab.provider.state.lookupIsDown = true;
		await lookAt(provedAtMs + 60_000);
		await expectOpen();
		lab.provider.state.lookupIsDown = false;
		await lab.tick(1_000);
		await expectGivenBack();
	});

	test("[TRD-08] a node behind the block that used the nonce does not prove the nonce free", async () => {
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
});

describe("lookUp", () => {
	// Guarantee: what its owner's own wallet sent is settled by what used its nonce, under whatever
	// hash, where that is what was planned; anything else there settles nothing.

	let database: TestDatabase;
	let lab: Lab;
	let by: Person;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		by = await lab.person({ capability: "external/manual" });
	});

	const DATA = "0xabcd";
	const ask = async (): Promise<Intent> => {
		const [intent] = await lab.pay(by, { data: DATA });
		if (!intent) throw new Error("no intent");
		return intent;
	};
	const read = (intent: Intent) => lab.intent(intent.id);
	/** What the plan says, as a wallet sends it; a price of its own gives it another hash. */
	let prices = 0;
	function send(intent: Intent, change: { valueRaw?: bigint; data?: Hex } = {}, nonce = 0): Hex {
		const { from, to, valueRaw, data } = intent.plan ?? {};
		if (!from || !to || valueRaw === undefined || !data) throw new Error("no plan");
		prices++;
		const feeRaw = BigInt(100 + prices);
		return lab.chain.send({ from, to, valueRaw, data, ...change, nonce, feeRaw });
	}
	async function tell(intent: Intent): Promise<void> {
		await lab.execution.signed(intent.id, send(intent));
		await lab.tick();
		expect((await read(intent)).status).toBe("submitted");
	}
	function mineDeep(): void {
		for (let block = 0; block < 4; block++) lab.chain.mine();
	}

	test("a transaction that was sped up settles its intent under the mined hash", async () => {
		const intent = await ask();
		await tell(intent);
		lab.chain.forgetPool();
		const faster = send(intent);
		lab.chain.mine();
		await lab.tick(60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: faster });
	});

	test("a payment that was sped up is settled, also after it was given up as not sent", async () => {
		const intent = await ask();
		await tell(intent);
		lab.chain.forgetPool();
		await lab.tick(SIGNED_UNSEEN_MS + 1_000);
		expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "not_sent" });
		const faster = send(intent);
		lab.chain.mine();
		await lab.tick(SIGNED_UNSEEN_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: faster });
	});

	for (const [what, change] of [
		["another sum", { valueRaw: 1n }],
		["other data", { data: "0x" }],
	] as const) {
		test(`a transaction with the payment's nonce and ${what} replaced it, and settles nothing`, async () => {
			const intent = await ask();
			await tell(intent);
			lab.chain.forgetPool();
			send(intent, change);
			lab.chain.mine();
			await lab.tick(60_000);
			// A block that can still leave the chain proves nothing.
			expect((await read(intent)).status).toBe("submitted");
			mineDeep();
			await lab.tick(60_000);
			expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "replaced" });
		});
	}

	test("the same call at another nonce is another payment, and settles nothing", async () => {
		const intent = await ask();
		await tell(intent);
		lab.chain.forgetPool();
		lab.chain.send({ from: by.wallet.address, to: SHOP, nonce: 0, valueRaw: 0n, data: "0x" });
		send(intent, {}, 1);
		mineDeep();
		await lab.tick(60_000);
		expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "replaced" });
	});

	test("a transaction that settles one intent settles no second one", async () => {
		const [one, two] = [await ask(), await ask()];
		await tell(one);
		lab.chain.forgetPool();
		const faster = send(one);
		// Its owner tells the second hash for the second intent.
		await lab.execution.signed(two.id, faster);
		mineDeep();
		for (let turn = 0; turn < 3; turn++) await lab.tick(60_000);
		expect(await read(two)).toMatchObject({ status: "confirmed", transactionHash: faster });
		expect(await read(one)).toMatchObject({ status: "failed", errorCode: "replaced" });
	});

	test("a nonce whose user a pruned node cannot name leaves the payment open, without a time limit", async () => {
		const intent = await ask();
		await tell(intent);
		lab.chain.forgetPool();
		for (let block = 0; block < 300; block++) lab.chain.mine();
		send(intent);
		for (let block = 0; block < 300; block++) lab.chain.mine();
		lab.chain.state.oldestState = 600;
		for (let turn = 0; turn < 4; turn++) await lab.tick(SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("submitted");
		lab.chain.state.oldestState = 0;
		await lab.tick(SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("confirmed");
	});
});

describe("readRebroadcast", () => {
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

	test("a node that does not know a payment proves nothing for some minutes", async () => {
		lab.chain.forgetPool();
		await lab.tick(UNSEEN_DROPPED_MS);
		expect(await status()).toBe("submitted");
		await lab.tick(UNSEEN_DROPPED_MS);
		expect(await status()).toBe("uncertain");
	});

	test("the minutes count from when a node last knew the payment", async () => {
		await lab.tick(UNSEEN_DROPPED_MS * 3);
		lab.chain.forgetPool();
		await lab.tick(UNSEEN_DROPPED_MS - 1_000);
		expect(await status()).toBe("submitted");
	});

	test("a dropped payment is broadcast again with the same bytes and hash, and pays once", async () => {
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

	test("a dropped payment is broadcast again only if an operator enabled that", async () => {
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

	test("a payment that a node no longer accepts stays uncertain, and is offered again", async () => {
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

	test("a dropped payment with unknown bytes is searched, and no other is sent in its place", async () => {
		lab.chain.forgetPool();
		for (let turn = 0; turn < 40; turn++) await lab.tick(600_000);
		expect(await status()).toBe("uncertain");
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
		expect(lab.handed).toHaveLength(1);
		expect(lab.chain.pool()).toEqual([]);
	});

	test("bytes of another hash are not broadcast for a payment", async () => {
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

	test("[TRD-08] a payment that was found meanwhile, or is the owner's own, is not broadcast again", async () => {
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
			...["sending", "sent", "doubtful", "mined", "reverted", "never"].map(
				(to) => `state = '${to}'`,
			),
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
		test(`${how} blocks a rebroadcast too, and nothing is lost by that`, async () => {
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

	test("no payment of an account is sent after a dropped one, and later sent ones count as dropped", async () => {
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

	test("a dropped payment fails, and is released, once another transaction used its nonce for good", async () => {
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

	test("a dropped payment that is mined after all counts as paid", async () => {
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
});
