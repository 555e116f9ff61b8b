import { expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { distrustingSource } from "#plugins/chain-scanner/range/distrustingSource.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

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
