import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { createHeadSearch } from "#plugins/wallets/reconcile/createHeadSearch.ts";
import { HEAD_BLOCKS_MAX } from "#plugins/wallets/reconcile/limits.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what is mined is settled with its block, for one question a block; a false head or
// block settles nothing.

let database: TestDatabase;
let lab: Lab;
let asked: RpcCall[];
let falsify: (call: RpcCall, outcome: RpcOutcome) => RpcOutcome;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	asked = [];
	falsify = (_call, outcome) => outcome;
});

function openSearch() {
	const { rpc } = lab.chain;
	const watched: Rpc = {
		...rpc,
		async settle(calls, options) {
			asked.push(...calls);
			const outcomes = await rpc.settle(calls, options);
			return outcomes.map((outcome, place) => falsify(calls[place] as RpcCall, outcome));
		},
	};
	lab.deps.rpcOf = () => watched;
	const search = createHeadSearch(lab.deps, { chainId: CHAIN_ID, rpc: watched });
	return (head: Head | null) => search(head, lab.signal);
}

async function head(): Promise<Head> {
	const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
	const { number, hash } = (await lab.chain.rpc.call(call)) as { number: Hex; hash: Hex };
	return { number: Number(number), hash, parentHash: hash, timestampMs: 0, logsBloom: null };
}

async function pay(): Promise<Intent> {
	const [intent] = await lab.pay(await lab.person());
	if (!intent) throw new Error("no intent");
	return intent;
}

const statusOf = async ({ id }: Intent) => (await lab.intent(id)).status;
const methods = () => asked.map(({ method }) => method);

test("what is mined is settled with its block, before its time by the clock comes", async () => {
	const search = openSearch();
	const paid = [await pay(), await pay(), await pay()];
	lab.chain.mine();
	await lab.tick(0);
	expect(await Promise.all(paid.map(statusOf))).toEqual(paid.map(() => "submitted"));
	await search(await head());
	expect(await Promise.all(paid.map(statusOf))).toEqual(paid.map(() => "confirmed"));
});

test("what failed on chain is looked at with its block, and told once a later one says so too", async () => {
	const search = openSearch();
	const intent = await pay();
	const [pending] = lab.chain.pool();
	if (!pending) throw new Error("nothing waits");
	pending.reverts = true;
	lab.chain.mine();
	await search(await head());
	const [row] = await lab.db.query<{ state: string }>("select state from wallets.submission");
	expect([row?.state, await statusOf(intent)]).toEqual(["reverted", "submitted"]);
	lab.chain.mine();
	await lab.tick(5_000);
	expect(await statusOf(intent)).toBe("failed");
});

test("a chain on which nothing is sent is asked nothing", async () => {
	const search = openSearch();
	const intent = await pay();
	lab.chain.mine();
	await search(await head());
	expect(await statusOf(intent)).toBe("confirmed");
	asked = [];
	lab.chain.mine();
	await search(await head());
	await search(null);
	expect(asked).toEqual([]);
});

test("a block costs one question, however many wait and are not in it", async () => {
	const search = openSearch();
	for (let n = 0; n < 12; n++) await pay();
	const waiting = lab.chain.pool();
	lab.chain.forgetPool();
	lab.chain.mine();
	await search(await head());
	asked = [];
	lab.chain.mine();
	await search(await head());
	await search(null);
	expect(methods()).toEqual(["eth_getBlockByNumber"]);
	expect(waiting).toHaveLength(12);
});

test("blocks that were passed over are searched as well, so many at most", async () => {
	const search = openSearch();
	await pay();
	lab.chain.forgetPool();
	await search(await head());
	const intent = await pay();
	for (let n = 0; n < HEAD_BLOCKS_MAX; n++) lab.chain.mine();
	asked = [];
	await search(await head());
	expect(await statusOf(intent)).toBe("confirmed");
	for (let n = 0; n < 5 * HEAD_BLOCKS_MAX; n++) lab.chain.mine();
	asked = [];
	await search(await head());
	expect(asked).toHaveLength(HEAD_BLOCKS_MAX);
});

test("what is written down after its block came is found without another head", async () => {
	const search = openSearch();
	await pay();
	lab.chain.forgetPool();
	const intent = await pay();
	const hide = "update wallets.submission set state = $2 where intent_id = $1";
	await lab.db.execute(hide, [intent.id, "sending"]);
	lab.chain.mine();
	await search(await head());
	await lab.db.execute(hide, [intent.id, "sent"]);
	expect(await statusOf(intent)).toBe("submitted");
	await search(null);
	expect(await statusOf(intent)).toBe("confirmed");
});

test("a block in place of one that was read is read", async () => {
	const search = openSearch();
	const intent = await pay();
	lab.chain.mine();
	lab.chain.reorg({ depth: 1 });
	await search(await head());
	expect(await statusOf(intent)).toBe("submitted");
	lab.chain.reorg({ depth: 1 });
	lab.chain.mine();
	await search(await head());
	expect(await statusOf(intent)).toBe("confirmed");
});

test("a head that the endpoint does not have yet is read with the next search", async () => {
	const search = openSearch();
	const intent = await pay();
	lab.chain.mine();
	const announced = await head();
	lab.chain.state.lagBlocks = 1;
	await search(announced);
	expect(await statusOf(intent)).toBe("submitted");
	lab.chain.state.lagBlocks = 0;
	await search(null);
	expect(await statusOf(intent)).toBe("confirmed");
});

test("a block that lists what it does not have costs one look, and settles nothing", async () => {
	const search = openSearch();
	const intent = await pay();
	const [waiting] = lab.chain.pool();
	falsify = (call, outcome) => {
		if (call.method !== "eth_getBlockByNumber" || outcome.kind === "fault") return outcome;
		return { kind: "result", result: { ...Object(outcome.result), transactions: [waiting?.hash] } };
	};
	await search(await head());
	expect(methods()).toContain("eth_getTransactionReceipt");
	expect(await statusOf(intent)).toBe("submitted");
	asked = [];
	await search(await head());
	await search(null);
	expect(asked).toEqual([]);
	lab.chain.mine();
	falsify = (_call, outcome) => outcome;
	await lab.tick();
	expect(await statusOf(intent)).toBe("confirmed");
});

test("what is looked at already is not looked at once more by its block", async () => {
	const search = openSearch();
	const intent = await pay();
	lab.chain.mine();
	const rows = await lab.db.query<{ id: string }>("select id from wallets.submission");
	for (const { id } of rows) lab.deps.looks.underWay.add(id);
	asked = [];
	await search(await head());
	expect(methods()).toEqual(["eth_getBlockByNumber"]);
	expect(await statusOf(intent)).toBe("submitted");
});

test("what may stand in blocks that nobody reads is looked at by the clock's next turn", async () => {
	const search = openSearch();
	const intent = await pay();
	lab.chain.mine();
	lab.chain.reorg({ depth: 1 });
	await search(await head());
	await lab.db.execute("update wallets.submission set look_at = $1", [
		new Date(lab.clock.ms + 300_000),
	]);
	for (let n = 0; n < 3 * HEAD_BLOCKS_MAX; n++) lab.chain.mine();
	await search(await head());
	expect(await statusOf(intent)).toBe("submitted");
	await lab.tick(0);
	expect(await statusOf(intent)).toBe("confirmed");
});
