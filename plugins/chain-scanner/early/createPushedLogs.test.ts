import { expect, test } from "bun:test";
import { padHex, toHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import {
	createPushedLogs,
	type PushedFate,
} from "#plugins/chain-scanner/early/createPushedLogs.ts";
import { PUSHED_CHARACTERS_MAX, PUSHED_LOGS_MAX } from "#plugins/chain-scanner/limits.ts";
import { bloomOf } from "#plugins/chain-scanner/range/createLogProof.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";

const VENUE = padHex("0x5ea", { size: 20 });
const SALE = padHex("0x5a1e", { size: 32 });
const filters = [{ address: [VENUE], topics: [[SALE]] }];
const idle = new AbortController().signal;

const hashOf = (block: number) => padHex(toHex(block), { size: 32 });
const logAt = (block: number, logIndex: number, more: object = {}) => ({
	address: VENUE,
	topics: [SALE],
	data: "0x01",
	blockNumber: toHex(block),
	blockHash: hashOf(block),
	transactionHash: padHex(toHex(1_000 + logIndex), { size: 32 }),
	transactionIndex: "0x0",
	logIndex: toHex(logIndex),
	...more,
});

function headOf(block: number, logs: readonly object[] = [logAt(block, 0)]): Head {
	return {
		number: block,
		hash: hashOf(block),
		parentHash: hashOf(block - 1),
		timestampMs: 0,
		logsBloom: bloomOf(parseLogs(logs, { from: block, to: block })),
	};
}

function open() {
	const fates: PushedFate[] = [];
	const pushed = createPushedLogs(filters, (fate) => fates.push(fate));
	const push = (...logs: unknown[]) => {
		for (const log of logs) pushed.listener.onLog(log);
	};
	const placesOf = async (head: Head, signal = idle) => {
		const logs = await pushed.of(head, signal);
		return logs?.map(({ logIndex }) => Number(logIndex)) ?? null;
	};
	return { fates, push, placesOf };
}

test("a block gets its own pushed logs, in chain order, whether they arrive before its head or after", async () => {
	const { push, placesOf } = open();
	push(logAt(7, 2), logAt(8, 5), logAt(7, 1));
	const after = placesOf(headOf(7));
	push(logAt(7, 3));
	expect(await after).toEqual([1, 2, 3]);
	expect(await placesOf(headOf(8))).toEqual([5]);
});

test("a log that is pushed twice is taken once, and the repetition is counted", async () => {
	const { fates, push, placesOf } = open();
	push(logAt(7, 1), logAt(7, 1));
	expect(await placesOf(headOf(7))).toEqual([1]);
	expect(fates).toEqual(["repeated"]);
});

test("unknown members of a pushed log are dropped", async () => {
	const { fates, push, placesOf } = open();
	push(logAt(7, 1, { extra: "a" }), logAt(7, 1, { extra: "b" }));
	expect([await placesOf(headOf(7)), fates]).toEqual([[1], ["repeated"]]);
});

test("pushed logs are waited for only until the node answers, and not for a block without matching logs", async () => {
	const { placesOf } = open();
	const answered = new AbortController();
	const never = placesOf(headOf(7), answered.signal);
	answered.abort();
	expect(await never).toBeNull();
	const stranger = logAt(8, 0, { address: padHex("0xbad", { size: 20 }) });
	expect(await placesOf(headOf(8, [stranger]))).toBeNull();
	expect(await placesOf({ ...headOf(9), logsBloom: null })).toBeNull();
});

const spoilt: [string, PushedFate, (block: number) => readonly unknown[]][] = [
	["a log that was taken back", "removed", (block) => [logAt(block, 1, { removed: true })]],
	["two logs at one place", "unfit", (block) => [logAt(block, 0, { data: "0x02" })]],
	["a log of another number", "unfit", (block) => [logAt(block, 1, { blockNumber: "0xfff" })]],
	["half a log", "unfit", (block) => [logAt(block, 1, { transactionHash: undefined })]],
	[
		"a log that was not asked for",
		"unfit",
		(block) => [logAt(block, 1, { topics: [padHex("0x1", { size: 32 }) satisfies Hex] })],
	],
	[
		"a member that is longer than any can be",
		"unfit",
		(block) => [logAt(block, 1, { transactionHash: `0x${"0".repeat(1_000_000)}` })],
	],
	["five topics", "unfit", (block) => [logAt(block, 1, { topics: Array(5).fill(SALE) })]],
	[
		"more data than is held",
		"flooded",
		(block) => [logAt(block, 1, { data: `0x${"00".repeat(PUSHED_CHARACTERS_MAX)}` })],
	],
	[
		"more logs than are held",
		"flooded",
		(block) => Array.from({ length: PUSHED_LOGS_MAX }, (_, at) => logAt(block, 1 + at)),
	],
];
for (const [what, fate, more] of spoilt) {
	test(`${what}: no log of that block is used early, and the cause is counted`, async () => {
		const { fates, push, placesOf } = open();
		push(logAt(7, 0), ...more(7));
		expect(await placesOf(headOf(7))).toBeNull();
		expect(fates).toContain(fate);
		// Only that block is spoilt: the logs of the next one are taken early again.
		push(logAt(8, 0));
		expect(await placesOf(headOf(8))).toEqual([0]);
	});
}

test("a log that the block's bloom excludes makes the block's pushed logs unusable", async () => {
	const { fates, push, placesOf } = open();
	const other = [padHex("0x5ea2", { size: 20 }), padHex("0x5a1e2", { size: 32 })] as const;
	const wide = [{ address: [VENUE, other[0]], topics: [[SALE, other[1]]] }];
	const pushed = createPushedLogs(wide, (fate) => fates.push(fate));
	pushed.listener.onLog(logAt(7, 0));
	pushed.listener.onLog(logAt(7, 1, { address: other[0], topics: [other[1]] }));
	expect(await pushed.of(headOf(7), idle)).toBeNull();
	expect(fates).toEqual(["unfit"]);
	push("<html>", null, { blockHash: "0x1" });
	expect(await placesOf({ ...headOf(7), logsBloom: null })).toBeNull();
	expect(fates.filter((fate) => fate === "malformed")).toHaveLength(3);
});

test("blocks that no lane reads are dropped, and counted", () => {
	const { fates, push } = open();
	for (let block = 0; block < 100; block++) push(logAt(block, 0));
	expect(fates.length).toBeGreaterThan(80);
	expect(new Set(fates)).toEqual(new Set(["unused"]));
});
