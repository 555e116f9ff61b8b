import { describe, expect, test } from "bun:test";
import { type Rpc, type RpcPurpose, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { LaneSource, RangeReading } from "#plugins/chain-scanner/range/model.ts";
import { byDistance, distrustingSource } from "#plugins/chain-scanner/range/sources.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

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

	test("[ING-14] a contradiction of a known kind is reported to the endpoint pool, and thrown unchanged", async () => {
		for (const kind of ["missing_logs", "hash_mismatch", "foreign_log", "malformed"] as const) {
			expect(await toldAfter(scannerFault.inconsistent({ meta: { kind } }))).toEqual([kind]);
		}
	});

	test("[ING-14] a node that lags or does not answer is not distrusted", async () => {
		const missing = scannerFault.inconsistent({ meta: { kind: "block_missing" } });
		const others = [missing, scannerFault.inconsistent(), rpcFault.transport(), new TypeError("x")];
		for (const error of others) expect(await toldAfter(error)).toEqual([]);
		const odd = scannerFault.inconsistent({ meta: { kind: "toString" } });
		expect(await toldAfter(odd)).toEqual([]);
	});
});

describe("byDistance", () => {
	test("requests within reach of reorgs count as live; older ranges and samples count as catch-up", async () => {
		const asked: string[] = [];
		const rpcs = new Map<Rpc, RpcPurpose>();
		const rpcFor = (purpose: RpcPurpose) => {
			const rpc = {} as Rpc;
			rpcs.set(rpc, purpose);
			return rpc;
		};
		const source = byDistance({ rpcFor }, (rpc): LaneSource => {
			return {
				kind: "mint",
				async sample() {
					asked.push(`sample ${rpcs.get(rpc)}`);
					return null;
				},
				async read() {
					asked.push(`read ${rpcs.get(rpc)}`);
					return {} as RangeReading;
				},
			};
		});
		const { signal } = new AbortController();
		await source.read({ from: 9, to: 9 }, { signal, unsettledFrom: 5, settledBy: null });
		await source.read({ from: 9, to: 9 }, { signal, unsettledFrom: 5 });
		await source.read({ from: 1, to: 4 }, { signal, unsettledFrom: 5, settledBy: 8 });
		await source.sample?.({ from: 1, to: 4 }, signal);
		expect(asked).toEqual(["read live", "read live", "read catch_up", "sample catch_up"]);
	});
});
