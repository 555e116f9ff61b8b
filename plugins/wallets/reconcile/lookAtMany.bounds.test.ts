import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { keccak256, numberToHex } from "viem";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import {
	LOOKS_TOGETHER_MAX,
	RECONCILE_ROWS_MAX,
	RECONCILES_AT_ONCE,
	STRANDED_MAX,
} from "#plugins/wallets/reconcile/limits.ts";
import { lookAtMany } from "#plugins/wallets/reconcile/lookAtMany.ts";
import { readOpen, readStranded, reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import type { Submission, SubmissionState } from "#plugins/wallets/submission/Submission.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("[TRD-08] many are asked for in requests of at most so many, each of them once", async () => {
	const due = submissions(2 * LOOKS_TOGETHER_MAX + 1);
	const { alone: rest } = await lookAtMany(lab.deps, { due, signal: lab.signal });
	expect(asked()).toEqual([LOOKS_TOGETHER_MAX, LOOKS_TOGETHER_MAX, 1]);
	const hashes = requests.flat().map(({ params }) => params[0]);
	expect(new Set(hashes.filter((hash) => hash !== undefined)).size).toBe(due.length);
	// What nobody knows is looked at by itself.
	expect(new Set(rest)).toEqual(new Set(due));
});

test("[TRD-08] those of one block of one chain are one question, those of two chains are two", async () => {
	const due = submissions(50, "mined", (place) => CHAIN_ID + (place % 2));
	await lookAtMany(lab.deps, { due, signal: lab.signal });
	// Nobody knows the one, so the others are asked for by themselves after it.
	expect(asked(requests.slice(0, 2))).toEqual([1, 1]);
	expect(asked(requests.slice(2))).toEqual([24, 24]);
});

test("[TRD-08] who is called off asks nothing more, and a chain that is away stops no other", async () => {
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

test("[TRD-08] what was paid for is asked for so many at once, and for all", async () => {
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

test("[TRD-08] those looked at by themselves are so many at once, and one that fails stops none", async () => {
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
	expect(await lab.db.query("select 1 from wallets.intent where status = 'uncertain'")).toEqual([]);
});

test("[TRD-08] a turn takes so many, those that are overdue for longest", async () => {
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

test("[TRD-08] a turn takes up, and runs out, so many", async () => {
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

test("[TRD-08] a turn whose time is over looks at nothing more, and takes nothing further", async () => {
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
