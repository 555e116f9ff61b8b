import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { hexToBytes } from "viem";
import { type Rpc, type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { RIDER_LOOK_MS } from "#plugins/wallets/reconcile/looks.ts";
import { readOpen } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { noteSightings, settleMined } from "#plugins/wallets/reconcile/settleMined.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: many are looked at in few questions, and each comes to what it would come to alone.

const PAID = 1_000_000_000;
let database: TestDatabase;
let lab: Lab;
/** What nodes were asked, and how often, since it was emptied. */
let asked: RpcCall[];
let requests = 0;
/** Calls that fail by themselves. */
let isAway: (call: RpcCall) => boolean;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	asked = [];
	requests = 0;
	isAway = () => false;
	const { rpc } = lab.chain;
	const settle: Rpc["settle"] = async (calls, options) => {
		requests++;
		asked.push(...calls);
		const outcomes = await rpc.settle(calls, options);
		return outcomes.map((outcome, place) => {
			const call = calls[place];
			const fault = rpcFault.refused({ detail: "not that one" });
			return call && isAway(call) ? { kind: "fault", fault } : outcome;
		});
	};
	const batch: Rpc["batch"] = async (calls, options) => {
		requests++;
		asked.push(...calls);
		if (calls.some(isAway)) throw rpcFault.refused({ detail: "not that one" });
		return rpc.batch(calls, options);
	};
	lab.deps.rpcOf = () => ({ ...rpc, settle, batch });
});

/** As many people, each with a payment that is on its way. */
async function payAll(count: number): Promise<Intent[]> {
	const intents: Intent[] = [];
	for (let n = 0; n < count; n++) intents.push(...(await lab.pay(await lab.person())));
	asked = [];
	requests = 0;
	return intents;
}

async function statuses(intents: readonly Intent[]): Promise<Set<string>> {
	return new Set(await Promise.all(intents.map(async ({ id }) => (await lab.intent(id)).status)));
}

test("all sent payments are settled by two requests, one of them for their block", async () => {
	const intents = await payAll(7);
	lab.chain.mine();
	await lab.tick();
	expect(requests).toBe(2);
	for (const { id } of intents) {
		expect((await lab.intent(id)).status).toBe("confirmed");
		expect(await lab.moves(id)).toEqual(["reserve", "sent", "mined"]);
		expect(await lab.ledger(id)).toEqual({ reserve: PAID, spend: PAID });
	}
});

test("payments known to be in one block are checked by one receipt of the block", async () => {
	const intents = await payAll(5);
	lab.chain.mine();
	await lab.tick();
	asked = [];
	await lab.tick(3_000);
	const receipts = () => asked.filter(({ method }) => method === "eth_getTransactionReceipt");
	expect(receipts()).toHaveLength(1);
	for (let block = 0; block < 4; block++) lab.chain.mine();
	asked = [];
	await lab.tick(60_000);
	// The last look is at each by itself.
	expect(new Set(receipts().map(({ params }) => params[0])).size).toBe(5);
	const open = await lab.db.query("select 1 from wallets.submission where final_at is null");
	expect(open).toHaveLength(0);
	expect(await statuses(intents)).toEqual(new Set(["confirmed"]));
});

test("of the payments in one block one is due soon, and the others rarely", async () => {
	await payAll(5);
	lab.chain.mine();
	await lab.tick();
	const dueWithin = (ms: number) =>
		readOpen(lab.db, { sendTimeoutMs: 1_000, at: new Date(lab.clock.ms + ms) });
	expect(await dueWithin(2_000)).toHaveLength(1);
	expect(await dueWithin(RIDER_LOOK_MS - 1)).toHaveLength(1);
	expect(await dueWithin(RIDER_LOOK_MS)).toHaveLength(5);
	await lab.tick(RIDER_LOOK_MS);
	expect(await dueWithin(RIDER_LOOK_MS - 1)).toHaveLength(1);
});

test("[ING-11] payments whose block left the chain are all looked up again", async () => {
	const intents = await payAll(4);
	lab.chain.mine();
	await lab.tick();
	lab.chain.reorg({ depth: 1 });
	await lab.tick(3_000);
	expect(await statuses(intents)).toEqual(new Set(["submitted"]));
	for (const { id } of intents) {
		expect(await lab.ledger(id)).toEqual({ reserve: PAID, spend: PAID, unspend: PAID });
	}
	lab.chain.mine();
	await lab.tick(3_000);
	expect(await statuses(intents)).toEqual(new Set(["confirmed"]));
});

test("[ING-11] payments that moved to another block before the next lookup are settled by it", async () => {
	const intents = await payAll(2);
	lab.chain.mine();
	await lab.tick();
	lab.chain.reorg({ depth: 1 });
	lab.chain.mine();
	lab.state.missing = { code: "not_there", detail: "It is not there." };
	await lab.tick(3_000);
	for (const { id } of intents) {
		const moves = ["reserve", "sent", "mined", "reorged", "missed"];
		expect(await lab.moves(id)).toEqual(moves);
		expect((await lab.intent(id)).errorCode).toBe("not_there");
		expect(await lab.ledger(id)).toEqual({ reserve: PAID, spend: 2 * PAID, unspend: PAID });
	}
	const rows = await lab.db.query("select distinct block_number::int from wallets.submission");
	expect(rows).toEqual([{ block_number: 2 }]);
});

test("[ING-11] payments that moved to another block have both blocks recorded", async () => {
	const intents = await payAll(2);
	lab.chain.mine();
	await lab.tick();
	lab.chain.reorg({ depth: 1 });
	lab.chain.mine();
	await lab.tick(3_000);
	for (const { id } of intents) {
		expect(await lab.moves(id)).toEqual(["reserve", "sent", "mined", "reorged", "mined"]);
		expect(await lab.ledger(id)).toEqual({ reserve: PAID, spend: 2 * PAID, unspend: PAID });
	}
});

test("[TRD-08] a reverted payment among others fails, and its money is released", async () => {
	const [bad, ...good] = await payAll(3);
	const reverted = lab.chain.pool().find(({ hash }) => hash === bad?.transactionHash);
	if (!bad || !reverted) throw new Error("nothing was sent");
	reverted.reverts = true;
	lab.chain.mine();
	await lab.tick();
	expect(await statuses(good)).toEqual(new Set(["confirmed"]));
	expect(await statuses([bad])).toEqual(new Set(["submitted"]));
	lab.chain.mine();
	await lab.tick(5_000);
	expect(await lab.intent(bad.id)).toMatchObject({
		...{ status: "failed", errorCode: "reverted_on_chain" },
	});
	expect(await lab.ledger(bad.id)).toEqual({ reserve: PAID, release: PAID });
});

test("[TRD-08] a hash of somebody else's successful transaction settles no payment", async () => {
	const [honest] = await payAll(1);
	lab.moods.push("lies");
	lab.provider.state.liesWith = honest?.transactionHash ?? "0x";
	const [lied] = await lab.pay(await lab.person());
	expect(lied?.status).toBe("submitted");
	lab.chain.mine();
	await lab.tick();
	expect((await lab.intent(honest?.id ?? "")).status).toBe("confirmed");
	expect((await lab.intent(lied?.id ?? "")).status).toBe("uncertain");
	expect(await lab.ledger(lied?.id ?? "")).toEqual({ reserve: PAID });
});

test("a payment whose lookup fails does not delay the others", async () => {
	const intents = await payAll(3);
	lab.chain.mine();
	const [first, ...others] = intents;
	if (!first) throw new Error("no intent");
	isAway = ({ params }) => params[0] === first.transactionHash;
	await lab.tick();
	expect(await statuses(others)).toEqual(new Set(["confirmed"]));
	expect((await lab.intent(first.id)).status).toBe("submitted");
	isAway = () => false;
	await lab.tick();
	expect((await lab.intent(first.id)).status).toBe("confirmed");
});

test("a payment with a wrong answer does not delay the others", async () => {
	const intents = await payAll(3);
	lab.chain.mine();
	const [first, ...others] = intents;
	if (!first) throw new Error("no intent");
	const rpc = lab.deps.rpcOf(1);
	if (!rpc) throw new Error("no chain");
	const settle: Rpc["settle"] = async (calls, options) => {
		const outcomes = await rpc.settle(calls, options);
		return outcomes.map((outcome, place) =>
			calls[place]?.params[0] === first.transactionHash
				? { kind: "result", result: { hash: "nonsense" } }
				: outcome,
		);
	};
	lab.deps.rpcOf = () => ({ ...rpc, settle });
	await lab.tick();
	expect(await statuses(others)).toEqual(new Set(["confirmed"]));
});

test("payments of a block are looked up singly if the block's one receipt cannot be read", async () => {
	const intents = await payAll(3);
	lab.chain.mine();
	await lab.tick();
	const [row] = await lab.db.query<{ hash: string }>(
		"select '0x' || encode(transaction_hash, 'hex') as hash from wallets.submission order by look_at, id",
	);
	isAway = ({ params }) => params[0] === row?.hash;
	lab.chain.reorg({ depth: 1 });
	await lab.tick(3_000);
	expect([...(await statuses(intents))].sort()).toEqual(["confirmed", "submitted"]);
	isAway = () => false;
	await lab.tick(3_000);
	expect(await statuses(intents)).toEqual(new Set(["submitted"]));
});

test("a reverted payment, or one without its goods, is not confirmed among successful ones", async () => {
	const [good] = await payAll(1);
	lab.chain.mine();
	await lab.tick();
	lab.state.missing = { code: "not_there", detail: "It is not there." };
	const bad = await payAll(2);
	lab.chain.mine();
	await lab.tick();
	expect(await statuses(bad)).toEqual(new Set(["failed"]));
	for (const { id } of bad) {
		expect((await lab.intent(id)).errorCode).toBe("not_there");
		expect(await lab.ledger(id)).toEqual({ reserve: PAID, spend: PAID });
	}
	expect((await lab.intent(good?.id ?? "")).status).toBe("confirmed");
});

test("an intent whose status differs from its transaction's is found and settled", async () => {
	const [intent] = await payAll(1);
	const id = intent?.id ?? "";
	await lab.db.execute("update wallets.intent set status = 'uncertain'");
	lab.chain.mine();
	await lab.tick();
	expect((await lab.intent(id)).status).toBe("confirmed");
	expect(await lab.ledger(id)).toEqual({ reserve: PAID, spend: PAID });
});

test("a state that another process wrote meanwhile is kept, whatever an older lookup found", async () => {
	const [intent] = await payAll(1);
	const id = intent?.id ?? "";
	lab.chain.mine();
	const at = new Date(lab.clock.ms + 2_000);
	const [submission] = await readOpen(lab.db, { sendTimeoutMs: 1_000, at });
	const transactionHash = submission?.transactionHash;
	if (!submission || !transactionHash) throw new Error("nothing was sent");
	const asking = { hash: transactionHash, minBlock: 0, signal: lab.signal };
	const sighting = await readReceipt(lab.chain.rpc, asking);
	if (!sighting?.receipt) throw new Error("it is not mined");
	const { receipt } = sighting;
	const mined = [{ submission, transactionHash, sighting, receipt, spentRaw: null }];
	for (const change of ["state = 'never'", "transaction_hash = sha256('x')", "final_at = now()"]) {
		await lab.db.execute(
			"update wallets.submission set state = 'sent', final_at = null, transaction_hash = $1",
			[hexToBytes(transactionHash)],
		);
		await lab.db.execute(`update wallets.submission set ${change}`);
		const before = await lab.db.query("select * from wallets.submission");
		await lab.db.transaction(async (tx) => {
			await settleMined(lab.deps, tx, { mined, at });
			if (change !== "transaction_hash = sha256('x')") {
				await noteSightings(lab.deps, tx, { seen: [{ submission, sighting }], at });
			}
		});
		expect(await lab.db.query("select * from wallets.submission")).toEqual(before);
		expect((await lab.intent(id)).status).toBe("submitted");
		expect(await lab.ledger(id)).toEqual({ reserve: PAID });
	}
});

test("a payment that another process settled meanwhile is not settled again", async () => {
	const [intent] = await payAll(1);
	const id = intent?.id ?? "";
	lab.chain.mine();
	await Promise.all([lab.tick(), lab.tick(0), lab.tick(0)]);
	expect(await lab.moves(id)).toEqual(["reserve", "sent", "mined"]);
	expect(await lab.ledger(id)).toEqual({ reserve: PAID, spend: PAID });
});
