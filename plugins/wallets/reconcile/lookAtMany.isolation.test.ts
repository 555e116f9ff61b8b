import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { LOOKS_TOGETHER_MAX, RECONCILES_AT_ONCE } from "#plugins/wallets/reconcile/limits.ts";
import { lookAtMany } from "#plugins/wallets/reconcile/lookAtMany.ts";
import { readOpen, reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { FIRST_LOOK_AFTER_MS } from "#plugins/wallets/submission/limits.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("an intent whose kind breaks over it keeps none of the others from being settled", async () => {
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

test("an intent that cannot even be read keeps none of the others from being settled", async () => {
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

test("a node that lies of one block in numbers nobody can store hurts that one alone", async () => {
	const [poison, ...others] = await payAll(4);
	lab.chain.mine();
	const { rpc } = lab.chain;
	const settle: Rpc["settle"] = async (calls, options) => {
		const outcomes = await rpc.settle(calls, options);
		return outcomes.map((outcome, place) => {
			const call = calls[place];
			const isPoison =
				call?.method === "eth_getTransactionReceipt" && call.params[0] === poison?.transactionHash;
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

test("a chain that does not answer keeps no other chain waiting, and is asked once a turn", async () => {
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
	expect(alone.map(({ id }) => id)).toEqual(many.slice(0, RECONCILES_AT_ONCE).map(({ id }) => id));
	expect((await lab.intent(here.id)).status).toBe("confirmed");
	expect(asked).toBe(1);
});

test("what a turn had no time to look at by itself keeps its place", async () => {
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

test("[ING-11] a block that goes while many are looked at is deep enough for nobody", async () => {
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
	expect((await lab.intent(id)).status).toBe("submitted");
	expect(await lab.ledger(id)).toMatchObject({ spend: 1_000_000_000, unspend: 1_000_000_000 });
});
