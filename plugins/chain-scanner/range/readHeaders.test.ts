import { expect, test } from "bun:test";
import { readHeaders } from "#plugins/chain-scanner/range/readHeaders.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

const { signal } = new AbortController();

test("headers come in the order asked for, null where the node has no such block", async () => {
	const chain = createFakeChain();
	chain.mineTo(5);
	chain.troubles.lagBlocks = 1;
	const headers = await readHeaders(chain.rpc, [5, 2, 4], signal);
	expect(headers).toEqual([null, chain.headOf(2), chain.headOf(4)]);
	expect(await readHeaders(chain.rpc, [], signal)).toEqual([]);
});

test("[ING-14] the header of another number than was asked for is none", async () => {
	const chain = createFakeChain();
	chain.mineTo(3);
	chain.troubles.tamper = (_, answer) => (answer ? { ...answer, number: "0x1" } : answer);
	expect(await readHeaders(chain.rpc, [3], signal)).toEqual([null]);
});
