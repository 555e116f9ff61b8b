import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AssertionFailed } from "#core/fault.ts";
import { HEADERS_REMEMBERED_MAX, REORG_DEPTH_LEAST } from "#plugins/chain-scanner/limits.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";
import {
	blocksOf,
	createHeaderMemory,
	readHeaders,
} from "#plugins/chain-scanner/range/readHeaders.ts";
import { createLaneWorld, mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("blocksOf", () => {
	const chain = createFakeChain();
	chain.mineTo(9);
	const heads = (...numbers: number[]) => numbers.map(chain.headOf);
	const numbersOf = (unsettledFrom: number) => {
		const { blocks } = blocksOf(heads(3, 4, 5, 6), { from: 3, to: 6 }, unsettledFrom);
		return blocks.map(({ number, settled }) => `${number}${settled ? " settled" : ""}`);
	};

	test("[ING-11] within reach of reorgs every block is kept, below it only the last one", () => {
		expect(numbersOf(3)).toEqual(["3", "4", "5", "6"]);
		expect(numbersOf(5)).toEqual(["5", "6"]);
		expect(numbersOf(7)).toEqual(["6 settled"]);
	});

	test("the block below the range is the parent that the first header names", () => {
		const one = blocksOf(heads(4), { from: 4, to: 4 }, 0);
		expect(one.parentHash).toBe(chain.hashOf(3));
		expect(one.blocks).toEqual([
			{ number: 4, hash: chain.hashOf(4), parentHash: chain.hashOf(3), settled: false },
		]);
	});

	test("a range without the header of one of its ends fails an assertion", () => {
		for (const given of [heads(3, 4), heads(4, 5), []]) {
			expect(() => blocksOf(given, { from: 3, to: 5 }, 0)).toThrow(AssertionFailed);
		}
	});
});

describe("createHeaderMemory.lane", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	test("lanes that reach the same newest blocks one after the other fetch their headers once", async () => {
		const world = await createLaneWorld(database.db);
		const { chain } = world;
		for (let id = 1; id <= REORG_DEPTH_LEAST; id++) {
			chain.mine([{ value: 0n, logs: [mintLog(id)] }]);
		}
		const asked = () =>
			chain.calls.filter(({ method }) => method === "eth_getBlockByNumber").length;
		const readAll = async (source: LaneSource) => {
			const before = asked();
			const lane = world.worker({ scanFrom: 1, source });
			lane.look();
			await lane.untilIndexed(REORG_DEPTH_LEAST);
			await lane.stop();
			return asked() - before;
		};
		expect(await readAll(world.source)).toBe(REORG_DEPTH_LEAST);
		// The last block is asked for: it shows that the node had it when it answered.
		expect(await readAll({ ...world.source, kind: "sale" })).toBe(1);
		expect(await world.tokens()).toHaveLength(2 * REORG_DEPTH_LEAST);
	});
});

describe("createHeaderMemory", () => {
	function chainOf(blocks: number) {
		const chain = createFakeChain();
		chain.mineTo(blocks);
		return chain;
	}
	const heads = (chain: ReturnType<typeof chainOf>, from: number, to: number) =>
		Array.from({ length: to - from + 1 }, (_, index) => chain.headOf(from + index));
	const numbers = (found: readonly { number: number }[]) => found.map(({ number }) => number);

	test("remembered headers are found by parent hashes, from a new header down to the first missing one", () => {
		const chain = chainOf(10);
		const memory = createHeaderMemory();
		expect(memory.below(chain.headOf(10), 1)).toEqual([]);
		memory.keep(heads(chain, 3, 9));
		expect(numbers(memory.below(chain.headOf(10), 5))).toEqual([5, 6, 7, 8, 9]);
		expect(numbers(memory.below(chain.headOf(10), 1))).toEqual([3, 4, 5, 6, 7, 8, 9]);
		expect(memory.below(chain.headOf(10), 10)).toEqual([]);
		memory.clear();
		expect(memory.below(chain.headOf(10), 1)).toEqual([]);
		expect(memory.has(9)).toBe(false);
	});

	test("headers of another fork are not returned, and those of both forks are", () => {
		const chain = chainOf(10);
		const memory = createHeaderMemory();
		memory.keep(heads(chain, 1, 10));
		chain.drop(4);
		chain.mineTo(10);
		expect(memory.below(chain.headOf(10), 1)).toEqual([]);
		expect(numbers(memory.below(chain.headOf(7), 1))).toEqual([1, 2, 3, 4, 5, 6]);
		memory.keep(heads(chain, 7, 10));
		expect(numbers(memory.below(chain.headOf(10), 1))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
	});

	test("the memory of headers drops the lowest header first when it is full", () => {
		const chain = chainOf(HEADERS_REMEMBERED_MAX + 20);
		const top = HEADERS_REMEMBERED_MAX + 20;
		const memory = createHeaderMemory();
		memory.keep(heads(chain, 1, top));
		expect(memory.below(chain.headOf(top), 0)).toHaveLength(HEADERS_REMEMBERED_MAX - 1);
		expect([memory.has(20), memory.has(21)]).toEqual([false, true]);
	});
});

describe("readHeaders", () => {
	const { signal } = new AbortController();

	test("headers are returned in the requested order, null for a block that the node lacks", async () => {
		const chain = createFakeChain();
		chain.mineTo(5);
		chain.troubles.lagBlocks = 1;
		const headers = await readHeaders(chain.rpc, [5, 2, 4], signal);
		expect(headers).toEqual([null, chain.headOf(2), chain.headOf(4)]);
		expect(await readHeaders(chain.rpc, [], signal)).toEqual([]);
	});

	test("[ING-14] a header with another number than the requested one counts as missing", async () => {
		const chain = createFakeChain();
		chain.mineTo(3);
		chain.troubles.tamper = (_, answer) => (answer ? { ...answer, number: "0x1" } : answer);
		expect(await readHeaders(chain.rpc, [3], signal)).toEqual([null]);
	});
});
