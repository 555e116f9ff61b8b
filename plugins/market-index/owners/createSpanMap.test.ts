import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { createSpanMap, type Span } from "#plugins/market-index/owners/createSpanMap.ts";

const ALICE: Address = "0x00000000000000000000000000000000000000a1";
const BOB: Address = "0x00000000000000000000000000000000000000b0";
const IDS = 12;

const spanArbitrary = fc
	.record({
		a: fc.integer({ min: 0, max: IDS - 1 }),
		length: fc.integer({ min: 1, max: 5 }),
		owner: fc.constantFrom(ALICE, BOB, ZERO_ADDRESS),
	})
	.map(({ a, length, owner }) => ({ from: BigInt(a), to: BigInt(a + length - 1), owner }));

/** Spans with places of their own in the chain, in any order. */
const movesArbitrary = fc.array(spanArbitrary, { maxLength: 20 }).chain((spans) =>
	fc
		.shuffledSubarray(
			spans.map((_, index) => index),
			{ minLength: spans.length },
		)
		.map((places) => {
			return spans.map((span, index): Span => ({ ...span, position: BigInt(places[index] ?? 0) }));
		}),
);

/** The plainest model: for each id the move with the greatest place. */
function ownersOf(moves: readonly Span[]): Map<bigint, Address> {
	const latest = new Map<bigint, Span>();
	for (const move of moves) {
		for (let id = move.from; id <= move.to; id++) {
			const known = latest.get(id);
			if (!known || known.position < move.position) latest.set(id, move);
		}
	}
	return new Map([...latest].map(([id, { owner }]) => [id, owner]));
}

/** What is stored once changes are written. */
function write(
	stored: readonly Span[],
	{ gone, made }: { gone: bigint[]; made: readonly Span[] },
): Span[] {
	const kept = new Map(stored.map((span) => [span.from, span]));
	for (const from of gone) kept.delete(from);
	for (const span of made) {
		const { from, to, owner, position } = span;
		kept.set(from, { from, to, owner, position });
	}
	return [...kept.values()].sort((a, b) => Number(a.from - b.from));
}

test("[IDX-11] for each id the latest move counts, in any order and parts of moves", () => {
	fc.assert(
		fc.property(movesArbitrary, fc.integer({ min: 1, max: 6 }), (moves, size) => {
			let stored: Span[] = [];
			const held = new Map<Address, bigint>();
			for (let at = 0; at < moves.length; at += size) {
				const map = createSpanMap(stored);
				for (const move of moves.slice(at, at + size)) map.put(move, 0n);
				const changes = map.changes();
				stored = write(stored, changes);
				for (const [owner, units] of changes.held) {
					held.set(owner, (held.get(owner) ?? 0n) + units);
				}
			}
			const owners = ownersOf(moves);
			expect(ownersOf(stored)).toEqual(owners);
			for (const [index, span] of stored.entries()) {
				const next = stored[index + 1];
				if (next) expect(span.to).toBeLessThan(next.from);
			}
			for (const owner of [ALICE, BOB, ZERO_ADDRESS]) {
				const own = [...owners.values()].filter((one) => one === owner).length;
				expect(held.get(owner) ?? 0n).toBe(BigInt(own));
			}
		}),
	);
});

test("[IDX-11] a range of 2^255 ids is one row, and three after one of them was sold", () => {
	const map = createSpanMap([]);
	const last = 2n ** 255n - 1n;
	map.put({ from: 0n, to: last, owner: ALICE, position: 1n }, 0n);
	expect(map.changes().made).toHaveLength(1);
	map.put({ from: 77n, to: 77n, owner: BOB, position: 2n }, 0n);
	expect(map.changes().made.map(({ from, to }) => [from, to])).toEqual([
		[0n, 76n],
		[77n, 77n],
		[78n, last],
	]);
	expect(map.changes().held.get(ALICE)).toBe(last);
});

test("a span replaced by a settled move is not journaled", () => {
	const map = createSpanMap([]);
	map.put({ from: 1n, to: 1n, owner: ALICE, position: 5n }, 6n);
	map.put({ from: 1n, to: 1n, owner: BOB, position: 6n }, 6n);
	map.put({ from: 1n, to: 1n, owner: ZERO_ADDRESS, position: 4n }, 6n);
	expect(map.changes().before).toEqual([
		{ from: 1n, to: 1n, owner: ALICE, position: 5n, until: 6n },
		{ from: 1n, to: 1n, owner: ZERO_ADDRESS, position: 4n, until: 6n },
	]);
});

test("a stored move that arrives again changes nothing", () => {
	const stored: Span[] = [{ from: 2n, to: 3n, owner: ALICE, position: 5n }];
	const map = createSpanMap(stored);
	map.put({ from: 2n, to: 3n, owner: ALICE, position: 5n }, 0n);
	expect(map.changes()).toEqual({ gone: [], made: [], before: [], held: new Map() });
});
