import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { silentLog } from "#core/log.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import type { SeenTransaction } from "#plugins/wallets/chain/readSigned.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import {
	judgeSighting,
	type MinedToSettle,
	noteSightings,
	settleMined,
} from "#plugins/wallets/reconcile/settleMined.ts";
import { followSpend } from "#plugins/wallets/spend/spend.ts";
import {
	type Submission,
	type SubmissionRow,
	submissionRow,
} from "#plugins/wallets/submission/submission.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("judgeSighting", () => {
	// Guarantee: a transaction settles an intent where all of it is what was planned, else not.

	const plan: Plan = {
		chainId: 1,
		from: `0x${"1".repeat(40)}`,
		to: `0x${"2".repeat(40)}`,
		valueRaw: 5n,
		data: "0x1234",
		spend: { currency: `0x${"0".repeat(40)}`, raw: 5n, decimals: 18, symbol: "ETH" },
		recipient: null,
		shown: {},
		expiresAtMs: 0,
	};
	const { from, to, valueRaw, data } = plan;
	const planned: SeenTransaction = { from, to, valueRaw, data, nonce: 7 };

	function judge(transaction: SeenTransaction, nonce: number | null): "seen" | "other" {
		const submission: Submission = {
			id: "s",
			intentId: "i",
			purpose: "pay",
			walletId: "w",
			chainId: 1,
			sender: plan.from,
			nonce,
			state: "sent",
			providerTransactionId: null,
			transactionHash: null,
			blockNumber: null,
			blockHash: null,
			seenNonce: null,
			seenAtMs: null,
			fromBlock: 0,
			gasLimit: 1n,
			validUntilMs: null,
			session: null,
			createdAtMs: 0,
			sentAtMs: 0,
			finalAtMs: null,
		};
		const sighting = { transaction, receipt: null, signed: null, headBlock: 1 };
		const hash = `0x${"ab".repeat(32)}` as const;
		return judgeSighting({ log: silentLog }, { submission, plan, hash, sighting }).kind;
	}

	test("[TRD-08] the planned transaction is recognised", () => {
		expect(judge(planned, 7)).toBe("seen");
	});

	for (const [what, change] of Object.entries({
		"another sender": { from: `0x${"3".repeat(40)}` },
		"another destination": { to: `0x${"3".repeat(40)}` },
		"no destination": { to: null },
		"a unit less": { valueRaw: 4n },
		"a unit more": { valueRaw: 6n },
		"other calldata": { data: "0x1235" },
		"more calldata": { data: "0x123400" },
		"another nonce": { nonce: 8 },
	} satisfies Record<string, Partial<SeenTransaction>>)) {
		test(`[TRD-08] a transaction that has ${what} is not the planned one`, () => {
			expect(judge({ ...planned, ...change }, 7)).toBe("other");
		});
	}

	test("[TRD-08] any nonce is accepted if the owner's own wallet chose it", () => {
		expect(judge({ ...planned, nonce: 8 }, null)).toBe("seen");
		expect(judge({ ...planned, nonce: 8, valueRaw: 4n }, null)).toBe("other");
	});
});

describe("noteSightings", () => {
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

	test("[TRD-08] the stored nonce, bytes and start block are kept when a later lookup shows less", async () => {
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

	test("[TRD-08] a nonce that was seen late is searched from the deepest block that a reorg reaches", async () => {
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
});

describe("settleMined", () => {
	// Guarantee: what is mined is settled once, with its own money, wherever its intent stood by
	// then.

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

	test("[TRD-08] a mined intent is settled once, however often that is reported", async () => {
		const found = await mined();
		await settle(found);
		await settle(found);
		expect(await lab.moves(intent.id)).toEqual(["reserve", "sent", "mined"]);
		expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID });
	});

	test("[TRD-08] each of many mined intents has its own money spent, and no other's", async () => {
		const others = await lab.pay(await lab.person(), { times: 2, ether: "0.1" });
		await settle(await mined());
		expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID });
		for (const { id } of others) {
			expect(await lab.ledger(id)).toEqual({ reserve: PAID / 5, spend: PAID / 5 });
		}
	});

	test("[TRD-08] an uncertain intent moves from its current status", async () => {
		await lab.db.execute("update wallets.intent set status = 'uncertain'");
		await settle(await mined());
		expect(await lastMoves(1)).toEqual([
			{ event: "mined", from_status: "uncertain", to_status: "confirmed" },
		]);
		expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID });
	});

	test("[TRD-08] an intent that was given up is found again before it is settled", async () => {
		await lab.db.execute("update wallets.intent set status = 'failed'");
		await settle(await mined());
		expect(await lastMoves(2)).toEqual([
			{ event: "found", from_status: "failed", to_status: "submitted" },
			{ event: "mined", from_status: "submitted", to_status: "confirmed" },
		]);
	});

	test("[TRD-08] a confirmed intent is not confirmed again", async () => {
		await lab.db.execute("update wallets.intent set status = 'confirmed'");
		await settle(await mined());
		expect(await lab.moves(intent.id)).toEqual(["reserve", "sent"]);
		expect((await lab.intent(intent.id)).status).toBe("confirmed");
	});

	test("[TRD-08] an amount that was spent or released before keeps its entry in the ledger", async () => {
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

	test("[TRD-08] settling without a reservation writes no spend", async () => {
		await lab.db.execute("delete from wallets.spend_entry");
		await settle(await mined());
		expect((await lab.intent(intent.id)).status).toBe("confirmed");
		expect(await lab.ledger(intent.id)).toEqual({});
	});
});
