import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hex } from "#core/chain/Hex.ts";
import { type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault.ts";
import {
	BLOCKS_ASKED_AT_ONCE_SCARCE,
	BLOCKS_ASKED_MAX_SCARCE,
	WHOLE_BLOCK_FROM,
} from "#plugins/chain-scanner/limits.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain, type FakeChain } from "#test/harness/fakeChain.ts";

const quiet = { undecoded() {}, noise() {}, unlisted() {} };
const far = { signal: new AbortController().signal, unsettledFrom: Number.POSITIVE_INFINITY };
const WHOLE = "eth_getBlockByHash";
const SINGLE = "eth_getTransactionByHash";

/** Mines a block with so many transactions, each with a mint; the nth paid n. */
function mine(chain: FakeChain, paid: readonly number[]): number {
	return chain.mine(paid.map((value) => ({ value: BigInt(value), logs: [mintLog(value)] })));
}

async function read(chain: FakeChain, range: { from: number; to: number }) {
	const { events } = await mintSource(chain.rpc, quiet).read(range, far);
	return events.map(({ totalRaw }) => Number(totalRaw));
}

const asked = (chain: FakeChain, method: string) =>
	chain.calls.filter((call) => call.method === method && call.params[1] !== false).length;

test("the values of all mints in a block are read in a few calls, and belong to their transactions", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }), async (counts) => {
			const chain = createFakeChain();
			let paid = 0;
			for (const count of counts)
				mine(
					chain,
					Array.from({ length: count }, () => ++paid),
				);
			const range = { from: 1, to: counts.length };
			expect(await read(chain, range)).toEqual(Array.from({ length: paid }, (_, at) => at + 1));
			const full = counts.filter((count) => count >= WHOLE_BLOCK_FROM).length;
			expect(asked(chain, WHOLE)).toBe(full);
			const few = counts.filter((count) => count < WHOLE_BLOCK_FROM);
			expect(asked(chain, SINGLE)).toBe(few.reduce((sum, count) => sum + count, 0));
		}),
		{ numRuns: 50 },
	);
});

test("while calls are scarce, a block with two mint transactions is already read as a whole", async () => {
	const chain = createFakeChain();
	chain.rpc.isScarce = () => true;
	mine(chain, [1, 2]);
	mine(chain, [3]);
	expect(await read(chain, { from: 1, to: 2 })).toEqual([1, 2, 3]);
	expect([asked(chain, WHOLE), asked(chain, SINGLE)]).toEqual([1, 1]);
});

test("while calls are scarce, a range's blocks are requested in small requests, before those of the next range", async () => {
	const chain = createFakeChain();
	chain.rpc.isScarce = () => true;
	for (let block = 0; block < 240; block++) mine(chain, [2 * block, 2 * block + 1]);
	const asked: number[] = [];
	let underWay = 0;
	const batch = chain.rpc.batch;
	chain.rpc.batch = async (calls, options) => {
		const isWhole = calls[0]?.method === WHOLE;
		if (!isWhole) return batch(calls, options);
		underWay++;
		expect(underWay).toBeLessThanOrEqual(BLOCKS_ASKED_AT_ONCE_SCARCE);
		expect(calls.length).toBeLessThanOrEqual(BLOCKS_ASKED_MAX_SCARCE);
		const blocks = (await batch(calls, options)) as { number: Hex }[];
		asked.push(...blocks.map(({ number }) => Number(number)));
		underWay--;
		return blocks;
	};
	const source = mintSource(chain.rpc, quiet);
	const ranges = [
		{ from: 1, to: 120 },
		{ from: 121, to: 240 },
	];
	const readings = await Promise.all(ranges.map((range) => source.read(range, far)));
	const paid = readings.flatMap(({ events }) => events.map(({ totalRaw }) => Number(totalRaw)));
	expect(paid).toEqual(Array.from({ length: 480 }, (_, value) => value));
	// The last requests of the first range are under way when those of the next one begin.
	const mostEarly = BLOCKS_ASKED_AT_ONCE_SCARCE * BLOCKS_ASKED_MAX_SCARCE;
	expect(asked.slice(0, 120 - mostEarly).every((block) => block <= 120)).toBe(true);
	expect(asked).toHaveLength(240);
});

test("after a failure in one range the next one's blocks are still read", async () => {
	const chain = createFakeChain();
	chain.rpc.isScarce = () => true;
	for (let block = 0; block < 40; block++) mine(chain, [block, block]);
	chain.troubles.tamper = (call, answer) => {
		const { number } = (answer ?? {}) as { number?: Hex };
		return call.method === WHOLE && Number(number) <= 20 ? null : answer;
	};
	const source = mintSource(chain.rpc, quiet);
	const first = source.read({ from: 1, to: 20 }, far).catch((error) => error);
	const next = source.read({ from: 21, to: 40 }, far);
	expect(await first).toMatchObject({ code: "rpc_inconsistent" });
	expect((await next).events).toHaveLength(40);
});

test("if a node does not give whole blocks with transactions, each transaction is requested", async () => {
	const refusals = [rpcFault.range({ detail: "too large" }), rpcFault.refused({ detail: "no" })];
	for (const refusal of [null, ...refusals]) {
		const chain = createFakeChain();
		mine(chain, [1, 2, 3, 4]);
		mine(chain, [5, 6, 7, 8, 9]);
		chain.troubles.tamper = (call, answer) => {
			if (call.method !== WHOLE) return answer;
			if (refusal) throw refusal;
			return { ...(answer as object), transactions: ["0x1", "0x2"] };
		};
		expect(await read(chain, { from: 1, to: 2 })).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
		expect(asked(chain, SINGLE)).toBe(9);
	}
});

test("blocks that are too large for one batch are requested one by one", async () => {
	const chain = createFakeChain();
	mine(chain, [1, 2, 3, 4]);
	mine(chain, [5, 6, 7, 8, 9]);
	const batch = chain.rpc.batch;
	chain.rpc.batch = (calls, options) => {
		const isTooMuch = calls.length > 1 && calls[0]?.method === WHOLE;
		return isTooMuch ? Promise.reject(rpcFault.range()) : batch(calls, options);
	};
	expect(await read(chain, { from: 1, to: 2 })).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
	expect(asked(chain, SINGLE)).toBe(0);
});

type Sent = { hash: Hex; value: Hex; blockHash: Hex };
type Whole = { hash: Hex; transactions: Sent[] };
const other: Hex = `0x${"1".repeat(64)}`;
const lies: [string, string | undefined, (block: Whole) => unknown][] = [
	["has no such block any more", undefined, () => null],
	["sends another block", "hash_mismatch", (block) => ({ ...block, hash: other })],
	[
		"leaves a mint's transaction out",
		undefined,
		(block) => ({ ...block, transactions: block.transactions.slice(1) }),
	],
	["sends no value", undefined, (block) => first(block, { value: "lots" as Hex })],
	["names another block for one", "hash_mismatch", (block) => first(block, { blockHash: other })],
	["names no hash for one", undefined, (block) => first(block, { hash: 7 as unknown as Hex })],
];

function first(block: Whole, change: Partial<Sent>): Whole {
	const [one, ...rest] = block.transactions;
	return { ...block, transactions: one ? [{ ...one, ...change }, ...rest] : rest };
}

for (const [what, kind, lie] of lies) {
	test(`[ING-07] a node that ${what}, when a whole block is requested, is asked again: no price is guessed`, async () => {
		const chain = createFakeChain();
		const block = mine(chain, [1, 2, 3, 4]);
		chain.troubles.tamper = (call: RpcCall, answer) =>
			call.method === WHOLE ? lie(answer as Whole) : answer;
		const range = { from: block, to: block };
		const error: Fault = await read(chain, range).then(
			() => expect.unreachable("a lie was taken"),
			(thrown) => thrown,
		);
		expect([error.code, error.meta["kind"]]).toEqual(["rpc_inconsistent", kind]);
		chain.troubles.tamper = (_, answer) => answer;
		expect(await read(chain, range)).toEqual([1, 2, 3, 4]);
	});
}
