import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Hex, padHex, toHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import { logsDigest, mergeLogs, parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

describe("mergeLogs", () => {
	describe("mergeLogs", () => {
		const hash = (text: string) => padHex(toHex(text), { size: 32 });
		const last = new Map([[9, hash("block 9")]]);

		function log(block: number, index: number, changes: Partial<RawLog> = {}): RawLog {
			return {
				address: padHex("0xaa", { size: 20 }),
				topics: [hash("topic")],
				data: "0x",
				blockNumber: toHex(block),
				blockHash: hash(`block ${block}`),
				transactionHash: hash(`transaction ${block}`),
				transactionIndex: "0x0",
				logIndex: toHex(index),
				...changes,
			};
		}

		const places = (logs: readonly RawLog[]) =>
			logs.map((one) => `${Number(one.blockNumber)}:${Number(one.logIndex)}`);

		test("lists are merged into one, in chain order", () => {
			const merged = mergeLogs(
				[
					[log(2, 3), log(9, 0)],
					[log(2, 1), log(3, 0)],
				],
				last,
			);
			expect(places(merged)).toEqual(["2:1", "2:3", "3:0", "9:0"]);
		});

		test("a log that was sent twice is kept once", () => {
			expect(places(mergeLogs([[log(2, 1), log(2, 1)], [log(2, 1)]], last))).toEqual(["2:1"]);
			expect(places(mergeLogs([[log(2, 1), log(2, 1)]], last))).toEqual(["2:1"]);
		});

		const other: Hex = hash("other");
		const contradictions: [string, RawLog[][]][] = [
			["two different logs at one place", [[log(2, 1), log(2, 1, { data: "0xff" })]]],
			["two hashes for one block", [[log(2, 1)], [log(2, 2, { blockHash: other })]]],
			["another hash for the last block than its header has", [[log(9, 1, { blockHash: other })]]],
			[
				"one transaction in two blocks",
				[[log(2, 1)], [log(3, 1, { transactionHash: hash("transaction 2") })]],
			],
		];

		for (const [what, lists] of contradictions) {
			test(`[ING-14] ${what}: the node contradicts itself, and its whole answer is refused`, () => {
				expect(() => mergeLogs(lists, last)).toThrow("rpc_inconsistent");
			});
		}
	});
});

describe("parseLogs", () => {
	describe("logsDigest", () => {
		async function logsOf(options?: { timestamps: boolean }) {
			const chain = createFakeChain(options);
			chain.mine([{ logs: [mintLog(1), mintLog(2)] }]);
			chain.mine([{ logs: [mintLog(3)] }]);
			const params = [{ fromBlock: "0x0", toBlock: "0x2", topics: [] }];
			return parseLogs(await chain.rpc.call({ method: "eth_getLogs", params }), { from: 0, to: 2 });
		}

		test("[ING-14] honest nodes have the same digest, for any extra members and order of logs", async () => {
			const plain = await logsOf({ timestamps: false });
			const timed = await logsOf();
			expect(logsDigest(timed.reverse())).toBe(logsDigest(plain));
		});

		test("[ING-14] a missing or moved log, or one of another block, changes the digest", async () => {
			const logs = await logsOf();
			const [first, ...rest] = logs;
			if (!first) throw new Error("no log");
			for (const other of [
				rest,
				[{ ...first, logIndex: "0x7" as const }, ...rest],
				[{ ...first, blockHash: `0x${"e".repeat(64)}` as const }, ...rest],
				[{ ...first, data: "0x01" as const }, ...rest],
			]) {
				expect(logsDigest(other)).not.toBe(logsDigest(logs));
			}
		});
	});

	describe("parseLogs", () => {
		const word = (text: string) => padHex(`0x${text}`, { size: 32 });
		const range = { from: 1, to: 9 };
		const sound = {
			address: padHex("0xAB", { size: 20 }),
			topics: [word("AA")],
			data: "0xFF",
			blockNumber: "0x5",
			blockHash: word("B5"),
			transactionHash: word("7A"),
			transactionIndex: "0x0",
			logIndex: "0x2",
		};

		test("a valid log is read, in lower case, and logs are sorted in chain order", () => {
			const logs = parseLogs(
				[sound, { ...sound, logIndex: "0x1" }, { ...sound, blockNumber: "0x4" }],
				range,
			);
			expect(logs.map((log) => `${log.blockNumber} ${log.logIndex}`)).toEqual([
				"0x4 0x2",
				"0x5 0x1",
				"0x5 0x2",
			]);
			expect(logs[0]?.address).toBe(padHex("0xab", { size: 20 }));
			expect(logs[0]?.topics).toEqual([word("aa")]);
			expect(logs[0]?.data).toBe("0xff");
		});

		test("logs marked as removed by a reorg are left out", () => {
			expect(parseLogs([{ ...sound, removed: true }], range)).toEqual([]);
		});

		test("a time of zero, or beyond the year 9999, counts as unknown", () => {
			for (const blockTimestamp of ["0x0", "0xffffffffffff", null, 12, "yesterday"]) {
				expect(parseLogs([{ ...sound, blockTimestamp }], range)[0]?.blockTimestamp).toBeUndefined();
			}
			const [log] = parseLogs([{ ...sound, blockTimestamp: "0x6553f10c" }], range);
			expect(log?.blockTimestamp).toBe("0x6553f10c");
		});

		const broken: [string, unknown][] = [
			["an address that is short", { ...sound, address: "0x12" }],
			["an address that is not hex", { ...sound, address: `0x${"zz".repeat(20)}` }],
			["a place in its block that no log has", { ...sound, logIndex: "0x40000000" }],
			["a transaction's place that none has", { ...sound, transactionIndex: "0xffffffffff" }],
			["a topic that is not hex", { ...sound, topics: [`0x${"g".repeat(64)}`] }],
			["five topics", { ...sound, topics: Array(5).fill(word("aa")) }],
			["no topics", { ...sound, topics: undefined }],
			["data of half a byte", { ...sound, data: "0xf" }],
			["data that is a number", { ...sound, data: 7 }],
			["no block", { ...sound, blockNumber: null }],
			["a block without digits", { ...sound, blockNumber: "0x" }],
			["a block that is no safe integer", { ...sound, blockNumber: `0x${"f".repeat(16)}` }],
			["a block outside the range", { ...sound, blockNumber: "0xa" }],
			["no log index", { ...sound, logIndex: undefined }],
			["null", null],
		];

		for (const [what, log] of broken) {
			test(`[ING-14] an answer with ${what} is refused as a whole`, () => {
				expect(() => parseLogs([sound, log], range)).toThrow("rpc_inconsistent");
			});
		}

		test("any answer of a node gives logs of the range, or a fault", () => {
			const anyLog = fc.oneof(
				fc.anything(),
				fc.record({
					...Object.fromEntries(
						Object.entries(sound).map(([key, value]) => [key, fc.constant(value)]),
					),
					blockNumber: fc.oneof(fc.constant("0x5"), fc.string(), fc.integer()),
					topics: fc.oneof(fc.constant([word("aa")]), fc.array(fc.string()), fc.anything()),
					data: fc.oneof(fc.constant("0x"), fc.string(), fc.anything()),
				}),
			);
			fc.assert(
				fc.property(fc.oneof(fc.array(anyLog), fc.anything()), (answer) => {
					try {
						for (const { blockNumber } of parseLogs(answer, range)) {
							expect(Number(blockNumber)).toBe(5);
						}
					} catch (error) {
						expect(error).toBeInstanceOf(Fault);
					}
				}),
				{ numRuns: 500 },
			);
		});
	});
});
