import { describe, expect, test } from "bun:test";
import { type Hex, padHex, toHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { mergeLogs } from "#plugins/chain-scanner/range/mergeLogs.ts";

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
