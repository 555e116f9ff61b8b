import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import { splitRange } from "#plugins/chain-scanner/lane/splitRange.ts";

const eventsOf = (blocks: readonly number[]) =>
	[...blocks].sort((a, b) => a - b).map((blockNumber) => ({ blockNumber }) as ChainEvent);

test("a range without more rows than allowed stays whole", () => {
	const events = eventsOf([3, 3, 4]);
	expect(splitRange({ from: 1, to: 9 }, events, 3)).toEqual([
		{ range: { from: 1, to: 9 }, rows: events },
	]);
});

test("parts cover every block and event once, in order, and cut only between blocks", () => {
	fc.assert(
		fc.property(
			fc.array(fc.integer({ min: 10, max: 40 }), { maxLength: 200 }),
			fc.integer({ min: 1, max: 30 }),
			(blocks, rowsMax) => {
				const events = eventsOf(blocks);
				const parts = splitRange({ from: 10, to: 40 }, events, rowsMax);
				expect(parts.flatMap((part) => part.rows)).toEqual(events);
				expect(parts[0]?.range.from).toBe(10);
				expect(parts.at(-1)?.range.to).toBe(40);
				for (const [index, { range, rows: own }] of parts.entries()) {
					expect(range.from).toBeLessThanOrEqual(range.to);
					const next = parts[index + 1];
					if (next) expect(next.range.from).toBe(range.to + 1);
					for (const { blockNumber } of own) {
						expect(blockNumber).toBeGreaterThanOrEqual(range.from);
						expect(blockNumber).toBeLessThanOrEqual(range.to);
					}
					const oneBlock = new Set(own.map((event) => event.blockNumber)).size === 1;
					if (!oneBlock) expect(own.length).toBeLessThanOrEqual(rowsMax);
				}
			},
		),
	);
});
