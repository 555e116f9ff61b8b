import { expect, test } from "bun:test";
import fc from "fast-check";
import type { RpcRank } from "#core/chain/rpc/Rpc.ts";
import { createTurns, type Waiting } from "#core/chain/rpc/turns.ts";

const RANKS: RpcRank[] = [1, 2, 3, 4, 5];

/** Serves ranks that always want more; returns what each was granted. */
function saturated(ranks: readonly RpcRank[], batch = 250) {
	const turns = createTurns();
	const granted = new Map<RpcRank, number>();
	const join = (rank: RpcRank) => {
		turns.add({
			calls: batch,
			rank,
			grant(calls) {
				granted.set(rank, (granted.get(rank) ?? 0) + calls);
				join(rank);
			},
		});
	};
	for (const rank of ranks) join(rank);
	return { turns, granted };
}

test("waiting calls of the first rank are granted first, and each rank in order of arrival", () => {
	const turns = createTurns();
	const order: string[] = [];
	const join = (name: string, rank: RpcRank, calls = 2) => {
		turns.add({ calls, rank, grant: (count) => order.push(`${name} ${count}`) });
	};
	join("names", 5);
	join("backfill", 4);
	join("first", 1);
	join("second", 1);
	expect(turns.wanted()).toBe(8);
	expect(turns.isUrgent()).toBe(true);
	expect(turns.serve(5)).toBe(5);
	expect(order).toEqual(["first 2", "second 2", "backfill 1"]);
	expect(turns.isUrgent()).toBe(false);
	expect(turns.serve(100)).toBe(2);
	expect(turns.wanted()).toBe(0);
});

test("each lower rank that waits gets a twentieth, however large the first rank's batches are", () => {
	for (const slice of [1, 5, 250]) {
		const { turns, granted } = saturated(RANKS);
		for (let served = 0; served < 10_000; served += slice) turns.serve(slice);
		for (const rank of [2, 3, 4, 5] as const) {
			expect(granted.get(rank) ?? 0).toBeGreaterThanOrEqual(10_000 * 0.04);
			expect(granted.get(rank) ?? 0).toBeLessThanOrEqual(10_000 * 0.06);
		}
		expect(granted.get(1) ?? 0).toBeGreaterThanOrEqual(10_000 * 0.78);
	}
});

test("the last rank gets its twentieth even if another rank always has calls waiting", () => {
	for (const rank of [1, 2, 3, 4] as const) {
		const { turns, granted } = saturated([rank, 5]);
		for (let turn = 0; turn < 1_000; turn++) turns.serve(10);
		expect((granted.get(5) ?? 0) / 10_000).toBeGreaterThanOrEqual(0.045);
	}
});

test("no call is granted twice or beyond the free capacity, and all free capacity is granted", () => {
	const waiting = fc.record({
		calls: fc.integer({ min: 1, max: 300 }),
		rank: fc.constantFrom(...RANKS),
		leaves: fc.boolean(),
	});
	fc.assert(
		fc.property(
			fc.array(waiting, { maxLength: 30 }),
			fc.array(fc.integer({ min: 1, max: 50 })),
			(all, slices) => {
				const turns = createTurns();
				const grants = new Map<Waiting, number[]>();
				for (const { calls, rank, leaves } of all) {
					const one: Waiting = {
						calls,
						rank,
						grant: (count) => void grants.set(one, [...(grants.get(one) ?? []), count]),
					};
					turns.add(one);
					if (leaves) turns.remove(one);
				}
				for (const slice of slices) {
					const wanted = turns.wanted();
					const granted = turns.serve(slice);
					expect(granted).toBeLessThanOrEqual(slice);
					// A cut request left the queue, and would come back for the rest.
					if (wanted > 0) expect(granted).toBeGreaterThan(0);
				}
				for (const [{ calls }, given] of grants) {
					expect(given).toHaveLength(1);
					expect(given[0]).toBeGreaterThan(0);
					expect(given[0]).toBeLessThanOrEqual(calls);
				}
			},
		),
	);
});
