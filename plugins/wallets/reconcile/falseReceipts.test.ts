import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a receipt confirms nothing unless the chain bears it out, and makes nothing final that
// a second look does not confirm.

const RESERVED = 1_000_000_000;
const START = 100;
let database: TestDatabase;
let lab: Lab;
let by: Person;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	lab = openExecutionLab(database.db);
	for (let block = 0; block < START; block++) lab.chain.mine();
	by = await lab.person();
});

type Answer = (call: RpcCall, result: unknown, options: RpcOptions | undefined) => unknown;

/** The node answers `change` of what it knows; answers how often it was distrusted. */
function lie(change: Answer): { distrusted: string[]; stop(): void } {
	const { rpc } = lab.chain;
	const { settle, distrust } = rpc;
	const distrusted: string[] = [];
	rpc.distrust = (kind) => void distrusted.push(kind);
	rpc.settle = (async (calls, options) => {
		const outcomes = await settle(calls, options);
		return outcomes.map((outcome, place) => {
			const call = calls[place];
			if (!call || outcome.kind !== "result") return outcome;
			return { kind: "result", result: change(call, outcome.result, options) };
		});
	}) satisfies Rpc["settle"];
	return { distrusted, stop: () => Object.assign(rpc, { settle, distrust }) };
}
const pay = async () => (await lab.pay(by))[0]?.id ?? "";
const status = async (id: string) => (await lab.intent(id)).status;
const isFinal = async () =>
	(await lab.db.query("select from wallets.submission where final_at is not null")).length > 0;
const word = (digit: string) => `0x${digit.repeat(64)}`;

const receiptIn = (block: number, more: Record<string, unknown>): Answer => {
	return ({ method, params }, result) => {
		if (method !== "eth_getTransactionReceipt") return result;
		const blockNumber = `0x${block.toString(16)}`;
		const own = { transactionHash: params[0], status: "0x1", logs: [] };
		return { ...own, blockNumber, blockHash: word("b"), ...more };
	};
};

for (const [name, block, more] of [
	["of a block long before it was planned", 16, {}],
	["of a block with another hash", START, { blockHash: word("c") }],
	["of a block that the chain does not have yet", START + 9, {}],
] as const) {
	test(`a receipt ${name} confirms nothing, and the true receipt settles the payment`, async () => {
		const id = await pay();
		const node = lie(receiptIn(block, more));
		for (let turn = 0; turn < 4; turn++) await lab.tick(5_000);
		expect(await status(id)).toBe("submitted");
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
		if (block <= START) expect(node.distrusted).toContain("false_receipt");
		node.stop();
		lab.chain.mine();
		await lab.tick(5_000);
		expect(await status(id)).toBe("confirmed");
	});
}

test("a receipt of a block that does not list the transaction confirms nothing", async () => {
	const id = await pay();
	const [block] = await lab.chain.rpc.batch([
		{ method: "eth_getBlockByNumber", params: [`0x${START.toString(16)}`, false] },
	]);
	const blockHash = (block as { hash: string }).hash;
	const node = lie(receiptIn(START, { blockHash }));
	await lab.tick(5_000);
	await lab.tick(5_000);
	expect(await status(id)).toBe("submitted");
	expect(node.distrusted).toContain("false_receipt");
});

test("a receipt in an old block that a node invents as a whole confirms nothing either", async () => {
	const id = await pay();
	const { transactionHash } = await lab.intent(id);
	const receipt = receiptIn(16, {});
	lie((call, result, options) => {
		if (call.method !== "eth_getBlockByNumber") return receipt(call, result, options);
		return { number: call.params[0], hash: word("b"), transactions: [transactionHash] };
	});
	for (let turn = 0; turn < 4; turn++) await lab.tick(5_000);
	expect(await status(id)).toBe("submitted");
	expect(await isFinal()).toBe(false);
});

test("an outcome that only one endpoint reports is not final, and can be undone", async () => {
	const id = await pay();
	lab.chain.mine();
	await lab.tick(5_000);
	expect(await status(id)).toBe("confirmed");
	for (let block = 0; block < 4; block++) lab.chain.mine();
	// A second opinion does not know it.
	const node = lie(({ method }, result, options) => {
		return method === "eth_getTransactionReceipt" && options?.second ? null : result;
	});
	await lab.tick(400_000);
	expect(await isFinal()).toBe(false);
	node.stop();
	await lab.tick(400_000);
	expect(await isFinal()).toBe(true);
});

test("a revert that only one node reports in one block does not change the payment", async () => {
	const id = await pay();
	lab.chain.mine();
	const node = lie(({ method }, result) => {
		if (method !== "eth_getTransactionReceipt" || result === null) return result;
		return { ...(result as object), status: "0x0" };
	});
	for (let turn = 0; turn < 3; turn++) await lab.tick(5_000);
	expect(await status(id)).toBe("submitted");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
	node.stop();
	for (let block = 0; block < 4; block++) lab.chain.mine();
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
	expect(await status(id)).toBe("confirmed");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
});

for (const heard of [["one"], ["one", "other"]]) {
	const isAgreed = heard.length > 1;
	test(`a revert that ${isAgreed ? "two endpoints tell is" : "one endpoint tells is not"} reported at once`, async () => {
		const id = await pay();
		const [waits] = lab.chain.pool();
		if (!waits) throw new Error("nothing waits");
		waits.reverts = true;
		lab.chain.mine();
		const node = lie((_, result, options) => {
			options?.heard?.add(heard.at(options.second ? -1 : 0) ?? "");
			return result;
		});
		await lab.tick();
		expect(await status(id)).toBe(isAgreed ? "failed" : "submitted");
		lab.chain.mine();
		await lab.tick(5_000);
		node.stop();
		expect(await lab.intent(id)).toMatchObject({
			...{ status: "failed", errorCode: "reverted_on_chain" },
		});
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
		expect(await lab.moves(id)).toEqual(["reserve", "sent", "reverted"]);
	});
}

test("an endpoint that turns a success into a failure is contradicted by the other", async () => {
	const id = await pay();
	lab.chain.mine();
	const node = lie(({ method }, result, options) => {
		const isOther = options?.second === true;
		options?.heard?.add(isOther ? "other" : "one");
		if (method !== "eth_getTransactionReceipt" || result === null || isOther) return result;
		return { ...(result as object), status: "0x0" };
	});
	for (let block = 0; block < 6; block++) {
		lab.chain.mine();
		await lab.tick(5_000);
		expect(await status(id)).toBe("submitted");
	}
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
	node.stop();
	await lab.tick(400_000);
	expect(await status(id)).toBe("confirmed");
});

test("an owner's own transaction is not settled by a receipt from before its intent", async () => {
	const owner = await lab.person({ capability: "external/manual" });
	const [asked] = await lab.pay(owner);
	const { plan } = asked ?? {};
	if (!plan) throw new Error("nothing was planned");
	const hash = lab.chain.send({ ...plan, nonce: 0 });
	await lab.execution.signed(asked?.id ?? "", hash);
	const node = lie(receiptIn(16, {}));
	for (let turn = 0; turn < 3; turn++) await lab.tick(5_000);
	expect(await status(asked?.id ?? "")).toBe("submitted");
	node.stop();
	lab.chain.mine();
	await lab.tick(5_000);
	expect(await status(asked?.id ?? "")).toBe("confirmed");
});

test("an owner who reports an own older transaction is informed after half an hour", async () => {
	const owner = await lab.person({ capability: "external/manual" });
	const from = owner.wallet.address;
	const [twin] = await lab.pay(owner, { data: "0x77" });
	if (!twin?.plan) throw new Error("nothing was planned");
	const old = lab.chain.send({ ...twin.plan, from, nonce: 0 });
	for (let block = 0; block < 20; block++) lab.chain.mine();
	const [asked] = await lab.pay(owner, { data: "0x77" });
	const id = asked?.id ?? "";
	await lab.execution.signed(id, old);
	for (let turn = 0; turn < 4; turn++) await lab.tick(5_000);
	expect(await status(id)).toBe("submitted");
	for (let turn = 0; turn < 3; turn++) await lab.tick(1_800_001);
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "not_sent" });
});

test("a nonce that was used long before a false count ends its payment and unblocks the queue", async () => {
	const { address } = by.wallet;
	for (let nonce = 0; nonce < 4; nonce++) {
		lab.chain.send({ from: address, to: address, nonce, valueRaw: 1n, data: "0x" });
	}
	for (let block = 0; block < 20; block++) lab.chain.mine();
	const node = lie(({ method }, result) => {
		return method === "eth_getTransactionCount" ? "0x1" : result;
	});
	lab.moods.push("loses");
	const id = await pay();
	expect(lab.handed[0]?.transaction.nonce).toBe(1);
	node.stop();
	const next = await pay();
	for (let turn = 0; turn < 6; turn++) await lab.tick(10_000);
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "not_sent" });
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
	lab.chain.mine();
	await lab.tick(10_000);
	expect(await status(next)).toBe("confirmed");
	expect(lab.handed[1]?.transaction.nonce).toBe(4);
});

test("a far head that was believed during the planning does not hide the receipt", async () => {
	const node = lie(({ method }, result) => {
		if (method !== "eth_feeHistory") return result;
		return { oldestBlock: "0xffffffff", baseFeePerGas: ["0x7", "0x6"] };
	});
	const id = await pay();
	node.stop();
	lab.chain.mine();
	await lab.tick(5_000);
	expect(await status(id)).toBe("confirmed");
});
