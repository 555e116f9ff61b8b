import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { padHex, toHex } from "viem";
import { bloomHas } from "#plugins/chain-scanner/range/createLogProof.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { bloomOf, createSimChain, type SimChain } from "#test/sim/chain/createSimChain.ts";

describe("bloomOf", () => {
	test("[ING-14] a simulated block's bloom contains each of its logs' items, and hardly any other", () => {
		const address = padHex("0xaa", { size: 20 });
		const topics = [1, 2, 3].map((value) => toHex(value, { size: 32 }));
		const bloom = bloomOf([{ address, topics }]);
		for (const word of [address, ...topics]) expect(bloomHas(bloom, word)).toBe(true);
		const others = Array.from({ length: 200 }, (_, at) => toHex(1_000 + at, { size: 32 }));
		expect(others.filter((word) => bloomHas(bloom, word)).length).toBeLessThan(5);
		expect(bloomOf([])).toBe(`0x${"0".repeat(512)}`);
	});
});

describe("createSimChain", () => {
	function make(seed = 1, depthMax?: number): SimChain {
		const chain = createSimChain(createPrng(seed), { name: "t", ...(depthMax && { depthMax }) });
		for (let made = 0; made < 30; made++) chain.mine();
		return chain;
	}

	const hashes = (chain: SimChain) => chain.branch().blocks.map(({ hash }) => hash);

	test("[ING-11] after any forks each block follows the one below it, and no transaction occurs twice", () => {
		const act = fc.record({
			kind: fc.constantFrom("reorg", "flip", "rollback", "mine"),
			depth: fc.integer({ min: 1, max: 40 }),
			length: fc.integer({ min: 1, max: 9 }),
			sameTimes: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.integer(), fc.array(act, { maxLength: 12 }), (seed, acts) => {
				const chain = make(seed, 20);
				for (const { kind, ...fork } of acts) {
					const settled = hashes(chain).slice(0, Math.max(0, chain.headMax() - 20));
					if (kind === "reorg") chain.reorg(fork);
					if (kind === "flip") chain.flip();
					if (kind === "rollback") chain.rollback(fork.depth);
					if (kind === "mine") chain.mine();
					expect(hashes(chain).slice(0, settled.length)).toEqual(settled);
				}
				const { blocks, homes } = chain.branch();
				for (const [number, block] of blocks.entries()) {
					const parent = blocks[number - 1];
					expect(block.number).toBe(number);
					if (parent) expect(block.parentHash).toBe(parent.hash);
					expect(block.timestampS).toBeGreaterThanOrEqual(parent?.timestampS ?? 0);
				}
				const all = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
				expect(new Set(all).size).toBe(all.length);
				for (const block of blocks) {
					for (const { hash } of block.transactions) expect(homes.get(hash)).toBe(block);
				}
			}),
			{ numRuns: 60 },
		);
	});

	test("the same seed gives the same chain, to the hash", () => {
		const fork = { depth: 5, length: 6, sameTimes: true };
		const [one, two] = [make(7), make(7)];
		one.reorg(fork);
		two.reorg(fork);
		expect(hashes(one)).toEqual(hashes(two));
		expect(hashes(make(8))).not.toEqual(hashes(one));
	});

	test("[ING-11] transactions return in other blocks, and a second fork restores the old blocks", () => {
		const chain = make(3);
		const before = hashes(chain);
		const had = new Set(chain.branch().homes.keys());
		chain.reorg({ depth: 12, length: 13, sameTimes: true });
		expect(hashes(chain).slice(0, 19)).toEqual(before.slice(0, 19));
		expect(hashes(chain)[19]).not.toBe(before[19]);
		const above = chain.branch().blocks.slice(19);
		const again = above.flatMap(({ transactions }) =>
			transactions.filter(({ hash }) => had.has(hash)),
		);
		expect(again.length).toBeGreaterThan(0);
		expect(chain.flip()).toBe(true);
		expect(hashes(chain).slice(0, -1)).toEqual(before);
	});
});
