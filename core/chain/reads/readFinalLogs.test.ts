import { describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { readFinalLogs } from "#core/chain/reads/readFinalLogs.ts";
import { type Rpc, type RpcCall, type RpcOptions, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { fakeHeader, hex } from "#core/chain/rpc/testing/fakeNode.ts";

const ROUTER: Address = `0x${"ab".repeat(20)}`;
const { signal } = new AbortController();

type Node = {
	head: number;
	/** Blocks that have a log, and its position. */
	logs: [block: number, index: number][];
	rangeMax: number;
	/** Changes an answer before it is sent. */
	tamper(call: RpcCall, answer: any): unknown;
	asked: string[];
	distrusted: string[];
};

function open(changes: Partial<Node> = {}) {
	const node: Node = {
		...{ head: 100, logs: [], rangeMax: 1_000, asked: [], distrusted: [] },
		tamper: (_, answer) => answer,
		...changes,
	};
	const answer = (call: RpcCall): unknown => {
		const [first] = call.params as [any];
		node.asked.push(`${call.method} ${first?.fromBlock ?? first ?? ""}`);
		if (call.method === "eth_blockNumber") return hex(node.head);
		if (call.method === "eth_getBlockByNumber") {
			return Number(first) > node.head ? null : fakeHeader(Number(first));
		}
		const [from, to] = [Number(first.fromBlock), Number(first.toBlock)];
		if (to - from + 1 > node.rangeMax) throw rpcFault.range({ meta: {} });
		return node.logs.filter(([block]) => block >= from && block <= to).map(logAt);
	};
	const one = (call: RpcCall) => node.tamper(call, answer(call));
	const checked = (call: RpcCall, index: number, options: RpcOptions = {}) => {
		const result = one(call);
		if (options.isReadable && !options.isReadable(result, index)) throw rpcFault.unreadable();
		return result;
	};
	const rpc: Rpc = {
		call: async (call, options) => checked(call, 0, options),
		batch: async (calls, options) => calls.map((call, index) => checked(call, index, options)),
		settle: async () => [],
		distrust: (kind) => void node.distrusted.push(kind),
		stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
	};
	const read = (asked: Partial<Parameters<typeof readFinalLogs>[1]> = {}) =>
		readFinalLogs(rpc, {
			...{ addresses: [ROUTER], fromBlock: 1, finalDepth: 10, blocksMax: 1_000, signal },
			...asked,
		});
	return { node, read };
}

function logAt([block, index]: [number, number]) {
	const { hash } = fakeHeader(block);
	return {
		...{ address: ROUTER.toUpperCase().replace("0X", "0x"), topics: [], data: "0x" },
		...{ blockNumber: hex(block), blockHash: hash, logIndex: hex(index) },
		...{ transactionHash: `0x${"1".repeat(64)}`, transactionIndex: "0x0", removed: false },
	};
}

const placesOf = (found: Awaited<ReturnType<typeof readFinalLogs>>) =>
	found.kind === "logs"
		? found.logs.map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)])
		: found.kind;

test("logs are read up to the head minus the final depth, in chain order, with times", async () => {
	const { read } = open({
		logs: [
			[89, 4],
			[7, 2],
			[7, 1],
			[90, 0],
			[91, 0],
		],
	});
	const found = await read();
	expect(placesOf(found)).toEqual([
		[7, 1],
		[7, 2],
		[89, 4],
		[90, 0],
	]);
	expect(found).toMatchObject({ to: 90, toHash: fakeHeader(90).hash, finalBlock: 90 });
	expect(found.kind === "logs" && found.timeMs.get(7)).toBe(1_700_000_007_000);
});

test("no logs are read while no new block is final", async () => {
	expect(await open().read({ fromBlock: 91 })).toEqual({ kind: "none", finalBlock: 90 });
	expect(await open({ head: 3 }).read()).toMatchObject({ kind: "none" });
});

test("fewer blocks are asked for until the node accepts the range", async () => {
	const { read } = open({
		rangeMax: 7,
		logs: [
			[5, 0],
			[6, 0],
		],
	});
	const found = await read();
	expect(found).toMatchObject({ to: 5, finalBlock: 90 });
	expect(placesOf(found)).toEqual([[5, 0]]);
});

test("the range that a node says it accepts is taken", async () => {
	let refusals = 0;
	const { read, node } = open({
		tamper({ method }, answer) {
			if (method === "eth_getLogs" && refusals++ === 0) {
				throw rpcFault.range({ meta: { rangeBlocksMax: 20 } });
			}
			return answer;
		},
	});
	expect(await read()).toMatchObject({ to: 20 });
	expect(node.asked.filter((one) => one.startsWith("eth_getLogs"))).toHaveLength(2);
});

test("a node's refusal of a single block is passed on", async () => {
	const refused = open({ rangeMax: 0 }).read();
	await expect(refused).rejects.toMatchObject({ code: "rpc_range" });
});

test("readFinalLogs reads the existing blocks of a node that reports a head beyond its own", async () => {
	const { read } = open({
		tamper: ({ method }, answer) => (method === "eth_blockNumber" ? hex(140) : answer),
	});
	expect(await read()).toMatchObject({ kind: "logs", to: 65 });
});

test("readFinalLogs reports a fork if the block after which it continues left the chain", async () => {
	const { hash } = fakeHeader(40);
	const after = { block: 40, hash: hash as `0x${string}` };
	expect(await open().read({ fromBlock: 41, after })).toMatchObject({ kind: "logs", to: 90 });
	const other = { block: 40, hash: fakeHeader(39).hash as `0x${string}` };
	expect(await open().read({ fromBlock: 41, after: other })).toEqual({ kind: "forked" });
});

describe("an answer that no honest node gives is not believed:", () => {
	const logs: Node["logs"] = [
		[7, 1],
		[90, 0],
	];
	const lies: [string, (answer: any[]) => unknown, string][] = [
		["a log of another contract", ([one]) => [{ ...one, address: `0x${"cd".repeat(20)}` }], ""],
		["a log of another block", ([one]) => [{ ...one, blockNumber: "0x5b" }], ""],
		["a log that was taken back", ([one]) => [{ ...one, removed: true }], ""],
		["no list", () => ({}), ""],
		["a place beyond all places", ([one]) => [{ ...one, logIndex: "0xffffffffff" }], ""],
		["a log twice", ([one]) => [one, one], "duplicate_log"],
		[
			"the last block by another hash",
			(all) => [{ ...all.at(-1), blockHash: `0x${"9".repeat(64)}` }],
			"hash_mismatch",
		],
		[
			"a block whose header has another hash",
			([one]) => [{ ...one, blockHash: `0x${"9".repeat(64)}` }],
			"hash_mismatch",
		],
	];
	for (const [what, lie, distrusted] of lies) {
		test(what, async () => {
			const { read, node } = open({
				logs,
				tamper: ({ method }, answer) => (method === "eth_getLogs" ? lie(answer) : answer),
			});
			await expect(read()).rejects.toMatchObject({ status: 503 });
			expect(node.distrusted).toEqual(distrusted === "" ? [] : [distrusted]);
		});
	}

	test("a block whose hash changed while the logs were read", async () => {
		let asked = 0;
		const { read, node } = open({
			tamper: ({ params: [block] }, answer: any) =>
				block === hex(100) && asked++ > 0 ? { ...answer, hash: fakeHeader(7).hash } : answer,
		});
		await expect(read()).rejects.toMatchObject({ code: "chain_contradicts" });
		expect(node.distrusted).toEqual(["hash_mismatch"]);
	});
});

test("no header is fetched for logs whose time is not needed", async () => {
	const { read, node } = open({ logs: [[7, 1]] });
	await read({ isTimed: () => false });
	expect(node.asked).not.toContain(`eth_getBlockByNumber ${hex(7)}`);
});
