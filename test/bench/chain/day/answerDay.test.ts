import { expect, test } from "bun:test";
import { parseHead } from "#core/chain/heads/Head.ts";
import { bloomMayHold } from "#plugins/chain-scanner/range/createLogProof.ts";
import {
	answerDay,
	BULK_SIZE,
	dayChain,
	dayContents,
	planDayBlock,
} from "#test/bench/chain/day/answerDay.ts";
import type { SentLog } from "#test/sim/node/answerCall.ts";

const chain = dayChain({ blocks: 7_200, blockSeconds: 12 });
const node = { chain, head: chain.blocks };
const ask = <Result>(method: string, ...params: unknown[]): Result => {
	return (JSON.parse(answerDay(node, { id: 1, method, params })) as { result: Result }).result;
};
const hex = (number: number) => `0x${number.toString(16)}`;

test("a day has the planned sales and mints, for any block time", () => {
	for (const blockSeconds of [12, 2, 0.25]) {
		const blocks = 86_400 / 12;
		const { mints, sales } = dayContents(dayChain({ blocks, blockSeconds }));
		const share = (blocks * blockSeconds) / 86_400;
		expect(sales / (40_000 * share)).toBeCloseTo(1, 0);
		expect(mints / ((20_000 + 500 * BULK_SIZE) * share)).toBeCloseTo(1, 0);
	}
});

test("logs, header and transactions of a block agree with each other and with the plan", () => {
	const [number, places] = [4_321, new Set<string>()];
	const block = ask<{ hash: string; transactions: { hash: string; value: string }[] }>(
		...(["eth_getBlockByNumber", hex(number), true] as const),
	);
	const logs = ask<SentLog[]>("eth_getLogs", { blockHash: block.hash });
	const { deals, noise } = planDayBlock(chain, number);
	expect(logs).toHaveLength(deals.reduce((sum, { count }) => sum + count, 0));
	expect(block.transactions.length).toBeGreaterThan(noise);
	for (const log of logs) {
		places.add(log.logIndex);
		const { [Number(log.transactionIndex)]: transaction } = block.transactions;
		expect(transaction?.hash).toBe(log.transactionHash);
		expect(ask("eth_getTransactionByHash", log.transactionHash)).toEqual(transaction);
	}
	expect(places.size).toBe(logs.length);
	const head = parseHead(ask("eth_getBlockByHash", block.hash, false));
	const bloom = head?.logsBloom ?? "0x";
	for (const { address, topics } of logs) {
		expect(bloomMayHold(bloom, { address: [address], topics })).toBe(true);
	}
});

test("the first block has no parent block, and a block above the head does not exist", () => {
	expect(parseHead(ask("eth_getBlockByNumber", "0x0", false))?.number).toBe(0);
	expect(ask("eth_getBlockByNumber", hex(chain.blocks + 1), false)).toBeNull();
	expect(ask("eth_getLogs", { fromBlock: hex(chain.blocks + 1), toBlock: "0xfffff" })).toEqual([]);
});
