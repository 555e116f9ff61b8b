import { describe, expect, test } from "bun:test";
import type { Hex, LogFilter } from "#core/chain/Hex.ts";
import type { RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault.ts";
import { MINT_FILTERS } from "#plugins/chain-scanner/mint/mintSource.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/readHeaders.ts";
import { fitsFilter, readRange } from "#plugins/chain-scanner/range/readRange.ts";
import { mintLog, unitsLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain, type FakeChain } from "#test/harness/fakeChain.ts";

describe("fitsFilter", () => {
	const word = (n: number): Hex => `0x${String(n).repeat(64)}`;
	const account = (n: number): Hex => `0x${String(n).repeat(40)}`;
	const log = { address: account(1), topics: [word(1), word(2), word(3)] };

	const cases: [string, LogFilter, boolean][] = [
		["an empty filter means every log", { topics: [] }, true],
		["a position may be left open", { topics: [null, word(2)] }, true],
		["a position holds one of several", { topics: [[word(9), word(1)]] }, true],
		["another topic does not fit", { topics: [word(2)] }, false],
		["another emitter does not fit", { address: [account(2)], topics: [] }, false],
		["one of several emitters fits", { address: [account(2), account(1)], topics: [] }, true],
		["as many positions as topics fit", { topics: [null, null, null] }, true],
		// What tells an ERC-721 mint from an ERC-20 one.
		[
			"more positions than topics do not, also open ones",
			{ topics: [null, null, null, null] },
			false,
		],
	];
	for (const [what, filter, fits] of cases) {
		test(`[ING-01] ${what}`, () => expect(fitsFilter(log, filter)).toBe(fits));
	}
});

describe("readRange", () => {
	const filters = MINT_FILTERS.map((topics) => ({ topics }));
	const { signal } = new AbortController();
	/** Far below the head: only the ends of a range have headers. */
	const far = { signal, unsettledFrom: Number.POSITIVE_INFINITY };

	const read = (chain: FakeChain, from: number, to: number) =>
		readRange(chain.rpc, filters, { from, to }, far);

	const codeOf = (reading: Promise<unknown>) =>
		reading.then(
			() => "nothing failed",
			(error: Fault) => error.code,
		);

	test("logs of both filters are returned in chain order, with each block's time and the last hash", async () => {
		const chain = createFakeChain();
		chain.mine([{ logs: [unitsLog(1n, 5n), mintLog(2)] }, { logs: [mintLog(3)] }]);
		chain.mine([{ logs: [mintLog(4)] }]);
		chain.mine();
		const { logs, blocks, parentHash, logCount, blockTimeMs } = await read(chain, 1, 3);
		expect(logs.map((log) => `${Number(log.blockNumber)}:${Number(log.logIndex)}`)).toEqual([
			"1:0",
			"1:1",
			"1:2",
			"2:0",
		]);
		expect(blocks.map(({ number, hash }) => [number, hash])).toEqual([[3, chain.hashOf(3)]]);
		expect(parentHash).toBe(chain.hashOf(0));
		expect(logCount).toBe(3);
		expect(blockTimeMs.get(1)).toBe(1_700_000_012_000);
		expect(blockTimeMs.get(2)).toBe(1_700_000_024_000);
	});

	test("times come from the headers if the node sends none with its logs, or a zero", async () => {
		for (const chain of [createFakeChain({ timestamps: false }), createFakeChain()]) {
			chain.mine([{ logs: [mintLog(1)] }]);
			chain.mine();
			chain.troubles.tamper = (call, answer) =>
				call.method === "eth_getLogs" && Array.isArray(answer)
					? answer.map((log) => (log.blockTimestamp ? { ...log, blockTimestamp: "0x0" } : log))
					: answer;
			expect((await read(chain, 1, 2)).blockTimeMs.get(1)).toBe(1_700_000_012_000);
		}
	});

	test("[ING-14] an answer of a node that lacks the range's last block is refused", async () => {
		const chain = createFakeChain();
		chain.mineTo(3);
		chain.troubles.lagBlocks = 1;
		expect(await codeOf(read(chain, 1, 3))).toBe("rpc_inconsistent");
	});

	test("[ING-14] a node that lacks the last block and has null for its logs is a lagging one", async () => {
		const chain = createFakeChain();
		chain.mineTo(3);
		chain.troubles.lagBlocks = 1;
		chain.troubles.tamper = ({ method }, answer) => (method === "eth_getLogs" ? null : answer);
		const failed: Fault = await read(chain, 1, 3).catch((error) => error);
		expect(failed.meta["kind"]).toBe("block_missing");
	});

	test("[ING-14] a block that arrives while the range is read does not prove logs read before it", async () => {
		const chain = createFakeChain();
		chain.mine();
		let asked = 0;
		chain.troubles.before = ({ method }) => {
			// The block arrives after the first call was answered, whichever that is.
			if (++asked === 2 && method !== "eth_getTransactionByHash")
				chain.mine([{ logs: [mintLog(1)] }]);
		};
		expect(await codeOf(read(chain, 1, 2))).toBe("rpc_inconsistent");
		expect((await read(chain, 1, 2)).logs).toHaveLength(1);
	});

	test("[ING-14] a node on a dead fork behind the same address makes no range settled", async () => {
		const [chain, dead] = [createFakeChain(), createFakeChain()];
		for (const one of [chain, dead]) {
			for (let id = 1; id <= 3; id++) one.mine([{ logs: [mintLog(id)] }]);
		}
		dead.drop(2);
		dead.mine([{ logs: [mintLog(12)] }]);
		dead.mine([{ logs: [mintLog(13)] }]);
		for (const one of [chain, dead]) one.mineTo(20);
		// One node answers the calls up to a point, the other the rest.
		for (let answeredFirst = 1; answeredFirst < filters.length + 4; answeredFirst++) {
			for (const [first, second] of [
				[chain, dead],
				[dead, chain],
			] as const) {
				const rpc = {
					...chain.rpc,
					batch: async (calls: readonly RpcCall[], options?: RpcOptions) => [
						...(await first.rpc.batch(calls.slice(0, answeredFirst), options)),
						...(await second.rpc.batch(calls.slice(answeredFirst), options)),
					],
				};
				const settled = { ...far, settledBy: 15 };
				const reading = readRange(rpc, filters, { from: 1, to: 3 }, settled);
				expect(await codeOf(reading)).toBe("rpc_inconsistent");
			}
		}
		const settled = { ...far, settledBy: 15 };
		expect((await readRange(chain.rpc, filters, { from: 1, to: 3 }, settled)).logs).toHaveLength(3);
	});

	test("[ING-14] logs of another range, and blocks with two hashes, are refused", async () => {
		const chain = createFakeChain();
		for (let id = 1; id <= 3; id++) chain.mine([{ logs: [mintLog(id), unitsLog(BigInt(id), 1n)] }]);
		const tamper = (change: (log: { blockNumber: string; topics: string[] }) => object) => {
			chain.troubles.tamper = (call, answer) =>
				call.method === "eth_getLogs" && Array.isArray(answer)
					? answer.map((log) => ({ ...log, ...change(log) }))
					: answer;
		};
		tamper(() => ({ blockNumber: "0x9" }));
		expect(await codeOf(read(chain, 1, 3))).toBe("rpc_inconsistent");
		// The last block as its header does not know it.
		tamper((log) => (log.blockNumber === "0x3" ? { blockHash: chain.hashOf(1) } : {}));
		expect(await codeOf(read(chain, 1, 3))).toBe("rpc_inconsistent");
		// One filter's answer from another fork than the other's.
		tamper((log) => {
			return log.blockNumber === "0x2" && log.topics[1] === log.topics[2]
				? { blockHash: chain.hashOf(1) }
				: {};
		});
		expect(await codeOf(read(chain, 1, 3))).toBe("rpc_inconsistent");
	});

	test("[ING-14] a refusal by a lagging node is not handled as a refused range, whatever its message", async () => {
		for (const code of ["rpc_range", "rpc_refused"] as const) {
			const chain = createFakeChain();
			chain.mineTo(5);
			chain.troubles.refused = { blocks: new Set([4]), code };
			expect(await codeOf(read(chain, 1, 5))).toBe("rpc_range");
			chain.troubles.lagBlocks = 2;
			expect(await codeOf(read(chain, 1, 5))).toBe("rpc_inconsistent");
			expect(await codeOf(read(chain, 1, 3))).toBe("nothing failed");
		}
	});

	test("without filters no logs are requested, because an empty filter would match every log", async () => {
		const chain = createFakeChain();
		chain.mine([{ logs: [mintLog(1)] }]);
		expect((await readRange(chain.rpc, [], { from: 1, to: 1 }, far)).logs).toEqual([]);
		expect(chain.asked()).toEqual([]);
	});

	test("[ING-14] blocks within reach of reorgs are read by a quorum, headers and logs", async () => {
		const chain = createFakeChain();
		const plain = createFakeChain({ timestamps: false });
		for (const one of [chain, plain]) {
			one.mine([{ logs: [mintLog(1)] }]);
			one.mine([{ logs: [mintLog(2)] }]);
		}
		const digests: string[][] = [];
		const rpcOf = ({ rpc }: FakeChain) => ({
			...rpc,
			batch: async (calls: readonly RpcCall[], options: RpcOptions = {}) => {
				const answers = await rpc.batch(calls, options);
				const { quorum } = options;
				if (typeof quorum !== "object") return answers;
				digests.push(answers.map((answer, index) => quorum.digest(answer, index)));
				return answers;
			},
		});
		const near = { signal, unsettledFrom: 0 };
		const range = { from: 1, to: 2 };
		await readRange(rpcOf(chain), filters, range, near);
		await readRange(rpcOf(plain), filters, range, near);
		const [first, second] = digests;
		expect(first).toHaveLength(4);
		expect(first).toEqual(second ?? []);
		chain.troubles.tamper = ({ method }, answer) => (method === "eth_getLogs" ? [] : answer);
		await readRange(rpcOf(chain), filters, range, near);
		expect(digests[2]).not.toEqual(first ?? []);
		// History is read once, from one endpoint.
		await readRange(rpcOf(plain), filters, range, far);
		expect(digests).toHaveLength(3);
	});

	/** Within reach of reorgs, by somebody who read these blocks before. */
	async function readAgain(chain: FakeChain, { from = 5, to = 20, before = () => {} } = {}) {
		const remembered = createHeaderMemory();
		const near = { signal, unsettledFrom: 3, remembered };
		await readRange(chain.rpc, filters, { from, to }, near);
		before();
		chain.calls.length = 0;
		const again = await readRange(chain.rpc, filters, { from, to }, near);
		const headers = chain.calls.filter(({ method }) => method === "eth_getBlockByNumber");
		const plain = await readRange(chain.rpc, filters, { from, to }, { signal, unsettledFrom: 3 });
		expect(again).toEqual(plain);
		return headers.length;
	}

	test("of headers that were read before, only the last one is requested again", async () => {
		const chain = createFakeChain();
		chain.mineTo(9);
		chain.mine([{ logs: [mintLog(1)] }]);
		chain.mineTo(30);
		expect(await readAgain(chain)).toBe(1);
		expect(await readAgain(chain, { from: 20, to: 20 })).toBe(1);
	});

	test("[ING-14] remembered headers of another fork are requested again, and no node is distrusted", async () => {
		for (const depth of [1, 7, 12]) {
			const chain = createFakeChain();
			chain.mineTo(20);
			const fork = () => {
				chain.drop(depth);
				chain.mine([{ logs: [mintLog(9)] }]);
				chain.mineTo(20);
			};
			const asked = await readAgain(chain, { before: fork });
			// A fork of the last block alone is told by that block itself.
			expect(asked).toBe(depth === 1 ? 1 : 17);
			expect(chain.distrusted).toEqual([]);
		}
	});

	test("[ING-14] logs whose block hash is not the remembered one are refused", async () => {
		const chain = createFakeChain();
		chain.mineTo(9);
		chain.mine([{ logs: [mintLog(1)] }]);
		chain.mineTo(20);
		const remembered = createHeaderMemory();
		const near = { signal, unsettledFrom: 3, remembered };
		await readRange(chain.rpc, filters, { from: 5, to: 20 }, near);
		chain.troubles.tamper = (call, answer) =>
			call.method === "eth_getLogs" && Array.isArray(answer)
				? answer.map((log) => ({ ...log, blockHash: chain.hashOf(11) }))
				: answer;
		expect(await codeOf(readRange(chain.rpc, filters, { from: 5, to: 20 }, near))).toBe(
			"rpc_inconsistent",
		);
	});
});
