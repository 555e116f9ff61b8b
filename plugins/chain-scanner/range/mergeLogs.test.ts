import { describe, expect, test } from "bun:test";
import { type Hex, padHex, toHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import {
	distrustingSource,
	mergeLogs,
	undecodedReport,
} from "#plugins/chain-scanner/range/mergeLogs.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

describe("distrustingSource", () => {
	const options = { signal: new AbortController().signal, unsettledFrom: 0 };

	/** What an endpoint is told after its source threw this. */
	async function toldAfter(error: unknown) {
		const chain = createFakeChain();
		const failing = { kind: "mint", read: () => Promise.reject(error) } as const;
		const read = distrustingSource(failing, chain.rpc).read({ from: 1, to: 1 }, options);
		expect(await read.catch((thrown) => thrown)).toBe(error);
		return chain.distrusted;
	}

	test("[ING-14] a contradiction of a known kind is told to the pool, and thrown on as it is", async () => {
		for (const kind of ["missing_logs", "hash_mismatch", "foreign_log", "malformed"] as const) {
			expect(await toldAfter(scannerFault.inconsistent({ meta: { kind } }))).toEqual([kind]);
		}
	});

	test("[ING-14] who lags or is away is not caught at anything", async () => {
		const missing = scannerFault.inconsistent({ meta: { kind: "block_missing" } });
		const others = [missing, scannerFault.inconsistent(), rpcFault.transport(), new TypeError("x")];
		for (const error of others) expect(await toldAfter(error)).toEqual([]);
		const odd = scannerFault.inconsistent({ meta: { kind: "toString" } });
		expect(await toldAfter(odd)).toEqual([]);
	});
});

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

	test("lists become one, in chain order", () => {
		const merged = mergeLogs(
			[
				[log(2, 3), log(9, 0)],
				[log(2, 1), log(3, 0)],
			],
			last,
		);
		expect(places(merged)).toEqual(["2:1", "2:3", "3:0", "9:0"]);
	});

	test("a log that was sent twice counts once", () => {
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
		test(`[ING-14] ${what}: the node contradicts itself, and nothing is taken from it`, () => {
			expect(() => mergeLogs(lists, last)).toThrow("rpc_inconsistent");
		});
	}
});

describe("undecodedReport", () => {
	test("a log that does not decode is counted each time and named once, with its context", async () => {
		const metrics = createMetrics();
		const lines: Record<string, unknown>[] = [];
		const log = {
			...silentLog,
			warn: (_: string, context?: Record<string, unknown>) => void lines.push(context ?? {}),
		};
		const report = undecodedReport({ chain: "anvil", metrics, log });
		const raw: RawLog = seaportLogs.log({ topics: [], data: "0x", logIndex: 4 });
		report.undecoded("mint", raw, "has 3 ids and 2 amounts");
		report.undecoded("mint", raw, "has 5 ids and 9 amounts");
		report.undecoded("mint", { ...raw, address: padHex("0x2", { size: 20 }) }, "is cut short");
		report.noise("mint", 7);
		report.noise("mint", 0);
		expect(lines).toHaveLength(2);
		expect(lines[0]).toEqual({
			lane: "mint",
			problem: "has 3 ids and 2 amounts",
			contract: raw.address,
			block: 1,
			logIndex: 4,
			transaction: raw.transactionHash,
		});
		const { body } = await metrics.expose();
		expect(body).toContain('tapeline_logs_undecoded_total{chain="anvil",lane="mint"} 3');
		expect(body).toContain('tapeline_logs_noise_total{chain="anvil",lane="mint"} 7');
	});
});
