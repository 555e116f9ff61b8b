import { expect, test } from "bun:test";
import { HEADERS_REMEMBERED_MAX } from "#plugins/chain-scanner/limits.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

function chainOf(blocks: number) {
	const chain = createFakeChain();
	chain.mineTo(blocks);
	return chain;
}
const heads = (chain: ReturnType<typeof chainOf>, from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, index) => chain.headOf(from + index));
const numbers = (found: readonly { number: number }[]) => found.map(({ number }) => number);

test("what is remembered is linked to what was told now, down to the first that is missing", () => {
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

test("of another fork nothing is remembered, and what both have is", () => {
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

test("it has a limit, and forgets the lowest first", () => {
	const chain = chainOf(HEADERS_REMEMBERED_MAX + 20);
	const top = HEADERS_REMEMBERED_MAX + 20;
	const memory = createHeaderMemory();
	memory.keep(heads(chain, 1, top));
	expect(memory.below(chain.headOf(top), 0)).toHaveLength(HEADERS_REMEMBERED_MAX - 1);
	expect([memory.has(20), memory.has(21)]).toEqual([false, true]);
});
