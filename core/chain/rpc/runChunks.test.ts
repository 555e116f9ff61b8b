import { expect, test } from "bun:test";
import fc from "fast-check";
import { runChunks } from "#core/chain/rpc/runChunks.ts";

test("answers come back in order, whatever the chunks and whoever is first", async () => {
	const lists = fc.array(fc.integer(), { maxLength: 60 });
	const limits = fc.record({
		batchMax: fc.integer({ min: 1, max: 9 }),
		concurrencyMax: fc.integer({ min: 1, max: 5 }),
	});
	await fc.assert(
		fc.asyncProperty(lists, limits, fc.scheduler(), async (items, limit, scheduler) => {
			const doubled = runChunks(items, limit, async (chunk) => {
				expect(chunk.length).toBeLessThanOrEqual(limit.batchMax);
				await scheduler.schedule(Promise.resolve());
				return chunk.map((item) => item * 2);
			});
			await scheduler.waitFor(doubled);
			expect(await doubled).toEqual(items.map((item) => item * 2));
		}),
	);
});

test("after the first failure no further chunk begins", async () => {
	const begun: number[] = [];
	const failing = runChunks([1, 2, 3, 4], { batchMax: 1, concurrencyMax: 1 }, async ([item]) => {
		begun.push(item ?? 0);
		if (item === 2) throw new Error("two");
		return [item];
	});
	expect(failing).rejects.toThrow("two");
	await failing.catch(() => {});
	expect(begun).toEqual([1, 2]);
});
