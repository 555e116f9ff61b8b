import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { keccak256, numberToHex } from "viem";
import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Intent, SubmissionState } from "#plugins/wallets/model.ts";
import { lookAtMany } from "#plugins/wallets/reconcile/lookAtMany.ts";
import {
	LOOKS_TOGETHER_MAX,
	RECONCILE_ROWS_MAX,
	RECONCILES_AT_ONCE,
	STRANDED_MAX,
} from "#plugins/wallets/reconcile/looks.ts";
import { readOpen, readStranded, reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { FIRST_LOOK_AFTER_MS } from "#plugins/wallets/submission/nonceQueue.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("lookAtMany.bounds", () => {
	// Guarantee: however much is open, a request, a turn and what is done at once stay bounded, and
	// what did not fit is looked at in the next turn.

	let database: TestDatabase;
	let lab: Lab;
	let requests: (readonly RpcCall[])[];
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		requests = [];
		const { rpc } = lab.chain;
		const settle: Rpc["settle"] = async (calls, options) => {
			requests.push(calls);
			return rpc.settle(calls, options);
		};
		lab.deps.rpcOf = () => ({ ...rpc, settle });
	});

	/** So many that were sent, of which no node knows anything. */
	function submissions(
		count: number,
		state: SubmissionState = "sent",
		chainOf: (place: number) => number = () => CHAIN_ID,
	): Submission[] {
		return Array.from({ length: count }, (_, place) => ({
			id: crypto.randomUUID(),
			intentId: crypto.randomUUID(),
			purpose: "pay",
			walletId: crypto.randomUUID(),
			chainId: chainOf(place),
			sender: `0x${"1".repeat(40)}`,
			nonce: place,
			state,
			providerTransactionId: null,
			transactionHash: keccak256(numberToHex(place)),
			blockNumber: state === "sent" ? null : 0,
			blockHash: state === "sent" ? null : keccak256("0x01"),
			seenNonce: null,
			seenAtMs: null,
			fromBlock: 0,
			gasLimit: 1n,
			validUntilMs: null,
			session: null,
			createdAtMs: lab.clock.ms,
			sentAtMs: lab.clock.ms,
			finalAtMs: null,
		}));
	}
	const asked = (of = requests) =>
		of.map((calls) => calls.filter(({ method }) => method === "eth_getTransactionReceipt").length);

	test("[TRD-08] many receipts are read in bounded requests, each of them once", async () => {
		const due = submissions(2 * LOOKS_TOGETHER_MAX + 1);
		const { alone: rest } = await lookAtMany(lab.deps, { due, signal: lab.signal });
		expect(asked()).toEqual([LOOKS_TOGETHER_MAX, LOOKS_TOGETHER_MAX, 1]);
		const hashes = requests.flat().map(({ params }) => params[0]);
		expect(new Set(hashes.filter((hash) => hash !== undefined)).size).toBe(due.length);
		// What nobody knows is looked at by itself.
		expect(new Set(rest)).toEqual(new Set(due));
	});

	test("[TRD-08] payments of one block are one request, those of two chains are two", async () => {
		const due = submissions(50, "mined", (place) => CHAIN_ID + (place % 2));
		await lookAtMany(lab.deps, { due, signal: lab.signal });
		// Nobody knows the one, so the others are asked for by themselves after it.
		expect(asked(requests.slice(0, 2))).toEqual([1, 1]);
		expect(asked(requests.slice(2))).toEqual([24, 24]);
	});

	test("[TRD-08] an aborted run sends nothing, and an unreachable chain does not stop others", async () => {
		const { rpcOf } = lab.deps;
		const due = submissions(2, "sent", (place) => CHAIN_ID + place);
		const signal = AbortSignal.abort();
		await lookAtMany(lab.deps, { due, signal });
		expect(requests).toEqual([]);
		const away = async () => Promise.reject(rpcFault.transport({ detail: "away" }));
		lab.deps.rpcOf = (id) => {
			const rpc = rpcOf(id);
			return id === CHAIN_ID && rpc ? { ...rpc, settle: away } : rpc;
		};
		await lookAtMany(lab.deps, { due, signal: lab.signal });
		expect(asked()).toEqual([1]);
	});

	/** Lets nobody out before as many are in as may be, and others have had their chance to come. */
	function crowd() {
		let inside = 0;
		const counted = { most: 0 };
		const { promise, resolve } = Promise.withResolvers<void>();
		const pass = async () => {
			counted.most = Math.max(counted.most, ++inside);
			if (inside === RECONCILES_AT_ONCE) {
				// In the order of the database's queue: whatever they ask on their way is answered by then.
				for (let turn = 0; turn < 20; turn++) await lab.db.query("select 1");
				resolve();
			}
			await promise;
			inside--;
		};
		return { counted, pass };
	}

	test("[TRD-08] checks of received goods run a bounded number at once, and all run", async () => {
		const { counted, pass } = crowd();
		const kind = payKind({ clock: lab.clock, script: lab.state });
		lab.execution.register({ ...kind, settle: async () => (await pass(), null) });
		const count = RECONCILES_AT_ONCE + 4;
		for (let place = 0; place < count; place++) await lab.pay(await lab.person());
		lab.chain.mine();
		await lab.tick();
		expect(counted.most).toBe(RECONCILES_AT_ONCE);
		const open = await lab.db.query("select 1 from wallets.intent where status <> 'confirmed'");
		expect(open).toEqual([]);
	});

	test("[TRD-08] single lookups run a bounded number at once, and one that fails does not stop others", async () => {
		const { counted, pass } = crowd();
		const count = RECONCILES_AT_ONCE + 4;
		for (let place = 0; place < count; place++) {
			lab.moods.push("sends, silent");
			await lab.pay(await lab.person());
		}
		const { custody } = lab.deps;
		const { byReference } = custody;
		let turn = 0;
		custody.byReference = async (id, signal) => {
			await pass();
			if (turn++ === 0) throw new Error("our own mistake");
			return byReference(id, signal);
		};
		await expect(lab.tick()).rejects.toThrow("jobs failed: Error: our own mistake");
		expect(counted.most).toBe(RECONCILES_AT_ONCE);
		const rows = await lab.db.query<{ status: string; count: number }>(
			"select status, count(*)::int as count from wallets.intent group by status order by status",
		);
		expect(rows).toEqual([
			{ status: "submitted", count: count - 1 },
			{ status: "uncertain", count: 1 },
		]);
		await lab.tick();
		expect(await lab.db.query("select 1 from wallets.intent where status = 'uncertain'")).toEqual(
			[],
		);
	});

	test("[TRD-08] a run takes a limited number, the most overdue first", async () => {
		await lab.pay(await lab.person());
		await lab.db.execute(
			`with copies as (
			insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
				request, settings, created_at, changed_at, expires_at)
			select gen_random_uuid(), kind, profile_id, wallet_id, chain_id, channel, 'submitted',
				request, settings, created_at, changed_at, expires_at
			from wallets.intent, generate_series(1, $1::int) returning id
		)
		insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
			created_at, sent_at, look_at)
		select gen_random_uuid(), copies.id, 0, wallet_id, chain_id, sender, 'sent', created_at,
			sent_at, created_at
		from copies, wallets.submission`,
			[RECONCILE_ROWS_MAX],
		);
		const at = new Date(lab.clock.ms + 60_000);
		const open = await readOpen(lab.db, { sendTimeoutMs: 1_000, at });
		expect(open).toHaveLength(RECONCILE_ROWS_MAX);
		// The one that was sent last is looked at last.
		expect(open.every(({ nonce }) => nonce === null)).toBe(true);
	});

	test("[TRD-08] a run continues, and expires, a limited number of intents", async () => {
		const by = await lab.person();
		await lab.pay(by, { times: STRANDED_MAX, stays: true });
		await lab.pay(by, { times: STRANDED_MAX, stays: true });
		await lab.db.execute("update wallets.intent set batch_id = null");
		const at = new Date(lab.clock.ms + 11_000);
		const { created, expired } = await readStranded(lab.db, { at, before: at });
		expect([created.length, expired.length]).toEqual([STRANDED_MAX, 0]);
		const later = new Date(lab.clock.ms + 600_000);
		const past = await readStranded(lab.db, { at: later, before: later });
		expect([past.created.length, past.expired.length]).toEqual([0, STRANDED_MAX]);
	});

	test("[TRD-08] a run whose time is over looks up nothing more, and continues no further intent", async () => {
		lab.moods.push("sends, silent");
		const [intent] = await lab.pay(await lab.person());
		const [waits] = await lab.pay(await lab.person(), { stays: true });
		lab.clock.ms += 20_000;
		let asked = 0;
		const { custody } = lab.deps;
		const { byReference } = custody;
		custody.byReference = (id, signal) => (asked++, byReference(id, signal));
		for (const job of reconcileJobs(lab.deps, lab.execution)) {
			await job.run({ signal: AbortSignal.abort() });
		}
		expect(asked).toBe(0);
		expect((await lab.intent(intent?.id ?? "")).status).toBe("uncertain");
		expect((await lab.intent(waits?.id ?? "")).status).toBe("created");
		await lab.tick();
		expect((await lab.intent(intent?.id ?? "")).status).toBe("submitted");
		expect((await lab.intent(waits?.id ?? "")).status).toBe("submitted");
	});
});

describe("lookAtMany.finality", () => {
	// Guarantee: a head that a node names makes nothing final: the blocks on top have to be there.

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

	const AHEAD = 1_000_000_000;

	/** The node names a head far ahead, and says of each receipt that it ended the other way. */
	function lie({ saysOfReceipts }: { saysOfReceipts: boolean }): () => void {
		const { settle } = lab.chain.rpc;
		lab.chain.rpc.settle = async (calls, options) => {
			const outcomes = await settle(calls, options);
			return outcomes.map((outcome, place): RpcOutcome => {
				if (outcome.kind !== "result" || outcome.result === null) return outcome;
				const { method } = calls[place] ?? {};
				if (method === "eth_blockNumber") {
					return { kind: "result", result: `0x${(Number(outcome.result) + AHEAD).toString(16)}` };
				}
				if (method !== "eth_getTransactionReceipt" || !saysOfReceipts) return outcome;
				const receipt = outcome.result as { status: string };
				const status = receipt.status === "0x1" ? "0x0" : "0x1";
				return { kind: "result", result: { ...receipt, status } };
			});
		};
		return () => {
			lab.chain.rpc.settle = settle;
		};
	}

	async function finals(): Promise<number> {
		const [row] = await lab.db.query<{ finals: number }>(
			"select count(final_at)::int as finals from wallets.submission",
		);
		return row?.finals ?? -1;
	}

	for (const saysOfReceipts of [false, true]) {
		const of = saysOfReceipts ? "a false end of each receipt" : "true receipts";
		test(`a head far ahead, and ${of}: no payment is final until the blocks exist`, async () => {
			const by = await lab.person();
			const [paid] = await lab.pay(by);
			const id = paid?.id ?? "";
			const tellTheTruth = lie({ saysOfReceipts });
			lab.chain.mine();
			for (let turn = 0; turn < 4; turn++) await lab.tick(400_000);
			expect((await lab.intent(id)).status).toBe(saysOfReceipts ? "submitted" : "confirmed");
			expect(await finals()).toBe(0);
			tellTheTruth();
			for (let block = 0; block < 4; block++) lab.chain.mine();
			for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
			expect([(await lab.intent(id)).status, await finals()]).toEqual(["confirmed", 1]);
		});
	}
});

describe("lookAtMany.isolation", () => {
	// Guarantee: who is looked at together with others is looked at, whatever is wrong with these.

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

	const OTHER_CHAIN_ID = CHAIN_ID + 1;

	async function payAll(count: number): Promise<Intent[]> {
		const intents: Intent[] = [];
		for (let n = 0; n < count; n++) intents.push(...(await lab.pay(await lab.person())));
		return intents;
	}

	const due = () => {
		lab.clock.ms += FIRST_LOOK_AFTER_MS;
		return readOpen(lab.db, { sendTimeoutMs: 1_000, at: new Date(lab.clock.ms) });
	};

	/** Everything of the first of them is on a chain of its own, which was paid on first. */
	async function moveToOtherChain({ id }: Intent): Promise<void> {
		await lab.db.execute("update wallets.intent set chain_id = $2 where id = $1", [
			id,
			OTHER_CHAIN_ID,
		]);
		await lab.db.execute(
			`update wallets.submission set chain_id = $2, look_at = look_at - interval '1 ms'
		where intent_id = $1`,
			[id, OTHER_CHAIN_ID],
		);
	}

	test("an intent whose kind throws does not prevent the others from being settled", async () => {
		const [poison, ...others] = await payAll(4);
		lab.chain.mine();
		const kindOf = lab.deps.kindOf;
		lab.deps.kindOf = (name) => {
			const kind = kindOf(name);
			return (
				kind && {
					...kind,
					async settle(intent, receipt, context) {
						if (intent.id === poison?.id) throw new TypeError("undefined is not a function");
						return kind.settle(intent, receipt, context);
					},
				}
			);
		};
		await expect(lab.tick()).rejects.toThrow("undefined is not a function");
		for (const { id } of others) expect((await lab.intent(id)).status).toBe("confirmed");
		expect((await lab.intent(poison?.id ?? "")).status).toBe("submitted");
	});

	test("an unreadable intent does not prevent the others from being settled", async () => {
		const [poison, ...others] = await payAll(4);
		lab.chain.mine();
		await lab.db.execute("update wallets.intent set plan = '{}' where id = $1", [poison?.id ?? ""]);
		await lab.tick();
		const rows = await lab.db.query<{ id: string; status: string }>(
			"select id, status from wallets.intent where status <> 'confirmed'",
		);
		expect(rows).toEqual([{ id: poison?.id ?? "", status: "submitted" }]);
		expect(others).toHaveLength(3);
	});

	test("a false block number beyond the database's range affects that payment only", async () => {
		const [poison, ...others] = await payAll(4);
		lab.chain.mine();
		const { rpc } = lab.chain;
		const settle: Rpc["settle"] = async (calls, options) => {
			const outcomes = await rpc.settle(calls, options);
			return outcomes.map((outcome, place) => {
				const call = calls[place];
				const isPoison =
					call?.method === "eth_getTransactionReceipt" &&
					call.params[0] === poison?.transactionHash;
				if (!isPoison || outcome.kind === "fault") return outcome;
				return {
					kind: "result",
					result: { ...Object(outcome.result), blockNumber: `0x${"f".repeat(40)}` },
				};
			});
		};
		lab.deps.rpcOf = () => ({ ...rpc, settle });
		await lab.tick();
		for (const { id } of others) expect((await lab.intent(id)).status).toBe("confirmed");
	});

	test("a chain that does not answer delays no other chain, and is asked once in each run", async () => {
		const [away, here] = await payAll(2);
		if (!away || !here) throw new Error("no intents");
		await moveToOtherChain(away);
		lab.chain.mine();
		const hereAsked = Promise.withResolvers<void>();
		let asked = 0;
		const { rpc } = lab.chain;
		lab.deps.rpcOf = (chainId) => ({
			...rpc,
			async settle(calls, options) {
				if (chainId === CHAIN_ID) {
					hereAsked.resolve();
					return rpc.settle(calls, options);
				}
				asked++;
				// Silent for as long as the other chain waits for its turn.
				await hereAsked.promise;
				throw rpcFault.transport({ detail: "away" });
			},
		});
		const rows = await due();
		const first = rows.find(({ chainId }) => chainId === OTHER_CHAIN_ID);
		if (!first) throw new Error("nothing is on the other chain");
		const many = Array.from({ length: 2 * LOOKS_TOGETHER_MAX }, () => {
			return { ...first, id: Bun.randomUUIDv7() };
		});
		const { alone } = await lookAtMany(lab.deps, { due: [...many, ...rows], signal: lab.signal });
		// So few that it costs the others little, and some: it may only be too slow for many at once.
		expect(alone.map(({ id }) => id)).toEqual(
			many.slice(0, RECONCILES_AT_ONCE).map(({ id }) => id),
		);
		expect((await lab.intent(here.id)).status).toBe("confirmed");
		expect(asked).toBe(1);
	});

	test("a payment for which a run had no time keeps its place in the order", async () => {
		const count = RECONCILES_AT_ONCE + 3;
		await payAll(count);
		await lab.db.execute(
			"update wallets.submission set state = 'doubtful', transaction_hash = null, look_at = $1",
			[new Date(lab.clock.ms)],
		);
		lab.clock.ms += 1;
		const ending = new AbortController();
		lab.deps.custody = {
			...lab.deps.custody,
			byReference: () => {
				ending.abort();
				return Promise.reject(rpcFault.transport({ detail: "the wallet provider is away" }));
			},
			byId: () => {
				ending.abort();
				return Promise.reject(rpcFault.transport({ detail: "the wallet provider is away" }));
			},
		};
		const [reconcile] = reconcileJobs(lab.deps, lab.execution);
		await reconcile?.run({ signal: ending.signal });
		const at = new Date(lab.clock.ms);
		const left = await readOpen(lab.db, { sendTimeoutMs: 1_000, at });
		expect(left.length).toBeGreaterThanOrEqual(count - RECONCILES_AT_ONCE);
	});

	test("[ING-11] if a block leaves the chain during a run, none of its payments becomes final", async () => {
		const [intent] = await payAll(1);
		const id = intent?.id ?? "";
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(id)).status).toBe("confirmed");
		const { rpc } = lab.chain;
		// A node that is asked in parts: blocks come between the receipts and the head.
		lab.deps.rpcOf = () => ({
			...rpc,
			async settle(calls, options) {
				const answers = await rpc.settle(calls.slice(0, -1), options);
				lab.chain.reorg({ depth: 1, forgets: true });
				for (let block = 0; block < 5; block++) lab.chain.mine();
				return [...answers, ...(await rpc.settle(calls.slice(-1), options))];
			},
		});
		await lab.tick(3_000);
		lab.deps.rpcOf = () => rpc;
		await lab.tick(60_000);
		expect(await lab.intent(id)).toMatchObject({ errorCode: "dropped_by_reorg" });
		expect(await lab.ledger(id)).toMatchObject({ spend: 1_000_000_000, unspend: 1_000_000_000 });
	});
});
