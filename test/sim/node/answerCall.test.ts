import { expect, test } from "bun:test";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { createSimChain } from "#test/sim/chain/createSimChain.ts";
import { answerCall, type View } from "#test/sim/node/answerCall.ts";

const chain = createSimChain(createPrng(2), { name: "t" });
for (let made = 0; made < 20; made++) chain.mine();

const viewOf = (changes: Partial<View> = {}): View => ({
	chainId: 5,
	branch: chain.branch(),
	head: chain.head(),
	rangeMax: 100,
	refused: new Set(),
	orphan: () => undefined,
	...changes,
});
const ask = (view: View, method: string, ...params: unknown[]) =>
	answerCall(view, { method, params });
const span = (from: number, to: number) => ({
	fromBlock: `0x${from.toString(16)}`,
	toBlock: `0x${to.toString(16)}`,
});

test("a range's logs equal those of its blocks' receipts, also when requested by hash", () => {
	const view = viewOf();
	const logs = ask(view, "eth_getLogs", span(0, 20));
	const { blocks } = chain.branch();
	const receipts = blocks.flatMap(({ hash }) => ask(view, "eth_getBlockReceipts", hash));
	expect(receipts.flatMap((receipt) => (receipt as { logs: unknown[] }).logs)).toEqual(
		logs as unknown[],
	);
	const byHash = blocks.flatMap(({ hash }) => ask(view, "eth_getLogs", { blockHash: hash }));
	expect(byHash).toEqual(logs as unknown[]);
});

test("[ING-14] a node that lags lacks the newest blocks, and shows that only when asked", () => {
	const view = viewOf({ head: 10 });
	expect(ask(view, "eth_blockNumber")).toBe("0xa");
	expect(ask(view, "eth_getBlockByNumber", "0xb", false)).toBeNull();
	expect(ask(view, "eth_getLogs", span(11, 20))).toEqual([]);
	const last = chain.branch().blocks[20];
	expect(() => ask(view, "eth_getLogs", { blockHash: last?.hash })).toThrow("rpc_refused");
});

test("[ING-08] ranges that are too wide, and blocks that are too large, are refused", () => {
	expect(() => ask(viewOf({ rangeMax: 3 }), "eth_getLogs", span(1, 4))).toThrow("rpc_range");
	const view = viewOf({ refused: new Set([7]) });
	expect(() => ask(view, "eth_getLogs", span(5, 9))).toThrow("rpc_range");
	expect(ask(view, "eth_getLogs", span(8, 8))).toBeArray();
});
