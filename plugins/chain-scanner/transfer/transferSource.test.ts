import { expect, test } from "bun:test";
import { padHex, toHex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { ADDRESSES_PER_QUERY_MAX } from "#plugins/chain-scanner/limits.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { transferSource } from "#plugins/chain-scanner/transfer/transferSource.ts";
import { createFakeChain, type FakeChain } from "#test/harness/fakeChain.ts";

const NFT: Address = padHex("0x721", { size: 20 });
const quiet = { undecoded() {}, noise() {} };
const unsettled = { signal: new AbortController().signal, unsettledFrom: 0 };

const sourceOf = (chain: FakeChain, watched: readonly Address[]) =>
	transferSource(chain.rpc, quiet, async () => watched);
const methods = (chain: FakeChain) => chain.calls.map(({ method }) => method);

test("[IDX-11] whom the lane looked at is said with what it saw, and others are left out", async () => {
	const chain = createFakeChain();
	chain.mine([{ logs: [mintLog(1), mintLog(2, padHex("0x99", { size: 20 }))] }]);
	const read = await sourceOf(chain, [NFT]).read({ from: 1, to: 1 }, unsettled);
	expect(read.moved?.watched).toEqual([NFT]);
	expect(read.moved?.moves).toMatchObject([{ contract: NFT, tokenId: 1n, blockNumber: 1 }]);
});

test("a query names no more contracts than nodes take", async () => {
	const chain = createFakeChain();
	chain.mine();
	const watched = Array.from({ length: 2 * ADDRESSES_PER_QUERY_MAX + 1 }, (_, index) => {
		return padHex(toHex(index + 1), { size: 20 });
	});
	await sourceOf(chain, watched).read({ from: 1, to: 1 }, unsettled);
	expect(methods(chain).filter((method) => method === "eth_getLogs")).toHaveLength(3);
});

test("nobody asks when a move was made: no header is read for it", async () => {
	const chain = createFakeChain({ timestamps: false });
	for (let block = 0; block < 9; block++) chain.mine([{ logs: [mintLog(block)] }]);
	const settled = { ...unsettled, unsettledFrom: 100 };
	const read = await sourceOf(chain, [NFT]).read({ from: 1, to: 9 }, settled);
	expect(read.moved?.moves).toHaveLength(9);
	// The two ends of the range.
	expect(methods(chain).filter((method) => method === "eth_getBlockByNumber")).toHaveLength(2);
});

test("[ING-14] moves that the bloom says are there and the node leaves out are missed", async () => {
	const chain = createFakeChain({ blooms: true });
	chain.mine([{ logs: [mintLog(1)] }]);
	chain.troubles.tamper = ({ method }, answer) => (method === "eth_getLogs" ? [] : answer);
	const reading = sourceOf(chain, [NFT]).read({ from: 1, to: 1 }, unsettled);
	await expect(reading).rejects.toMatchObject({ code: "rpc_inconsistent" });
});
