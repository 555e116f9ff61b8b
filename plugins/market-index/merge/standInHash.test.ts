import { expect, test } from "bun:test";
import fc from "fast-check";
import { standInPrefix } from "#plugins/market-index/confirm/standInPrefix.ts";
import { isStandIn } from "#plugins/market-index/event/isStandIn.ts";
import { standInHash } from "#plugins/market-index/merge/standInHash.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

const party = fc.constantFrom(contractOf(1), contractOf(2), contractOf(3));
const event = fc.record({
	kind: fc.constantFrom("sale", "mint", "transfer"),
	orderHash: fc.constantFrom(null, contractOf(8), contractOf(9)),
	contract: fc.constantFrom(`0x${"cd".repeat(20)}` as const, `0x${"ab".repeat(20)}` as const),
	tokenId: fc.bigInt(0n, 3n),
	from: party,
	to: party,
	occurredAtMs: fc.constantFrom(1_000, 1_999, 2_000),
});

test("stand-ins of two events are equal exactly where all that names them is, to the second", () => {
	fc.assert(
		fc.property(event, event, (a, b) => {
			const text = (one: typeof a) =>
				JSON.stringify({
					...one,
					tokenId: one.tokenId.toString(),
					occurredAtMs: Math.floor(one.occurredAtMs / 1_000),
				});
			expect(standInHash(a) === standInHash(b)).toBe(text(a) === text(b));
		}),
		{ numRuns: 1_000 },
	);
});

test("a stand-in begins with what all of its contract do, and fits 32 bytes", () => {
	fc.assert(
		fc.property(event, (one) => {
			const hash = standInHash(one);
			expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
			expect(hash.startsWith(standInPrefix(one.contract))).toBe(true);
			expect(isStandIn(hash)).toBe(true);
		}),
	);
});
