import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	PROVIDER_LOG_INDEX,
	type ProviderIdentity,
	positionOf,
	providerPlace,
} from "#plugins/market-index/event/StoredEvent.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

describe("positionOf", () => {
	const place = fc.record({
		blockNumber: fc.oneof(fc.nat(3), fc.nat(2 ** 31), fc.constant(2 ** 33 - 1)),
		logIndex: fc.oneof(fc.nat(3), fc.constantFrom(2 ** 20 - 2, 2 ** 20 - 1)),
		subIndex: fc.oneof(fc.nat(3), fc.constantFrom(1_022, 1_023)),
	});

	type Place = { blockNumber: number; logIndex: number; subIndex: number };
	const inOrder = (a: Place, b: Place) =>
		Math.sign(a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex);

	test("positions are in the order of the chain: block, then log, then item", () => {
		fc.assert(
			fc.property(place, place, (a, b) => {
				const difference = positionOf(a) - positionOf(b);
				expect(difference < 0n ? -1 : difference > 0n ? 1 : 0).toBe(inOrder(a, b));
			}),
			{ numRuns: 1_000 },
		);
	});

	test("every position up to block 2^33 fits an int8, whatever a batch log carries", () => {
		const last = { blockNumber: 2 ** 33 - 1, logIndex: 2 ** 31 - 1, subIndex: 99_999 };
		expect(positionOf(last)).toBe(2n ** 63n - 1n);
		expect(positionOf({ blockNumber: 0, logIndex: 0, subIndex: 0 })).toBe(0n);
	});

	test("items above 1,023 of one log never pass for the next log's", () => {
		const crowded = positionOf({ blockNumber: 7, logIndex: 3, subIndex: 50_000 });
		expect(crowded < positionOf({ blockNumber: 7, logIndex: 4, subIndex: 0 })).toBe(true);
	});

	test("what only a provider told stands within its block, after the block before and before the next", () => {
		const log = fc.integer({ min: 2 ** 30, max: 2 ** 31 - 1 });
		fc.assert(
			fc.property(fc.nat(2 ** 31), log, fc.nat(), (blockNumber, logIndex, subIndex) => {
				const position = positionOf({ blockNumber, logIndex, subIndex });
				expect(position >= positionOf({ blockNumber, logIndex: 0, subIndex: 0 })).toBe(true);
				const next = { blockNumber: blockNumber + 1, logIndex: 0, subIndex: 0 };
				expect(position < positionOf(next)).toBe(true);
			}),
		);
	});
});

describe("providerPlace", () => {
	const party = fc.constantFrom(contractOf(1), contractOf(2), contractOf(3));
	const identity: fc.Arbitrary<ProviderIdentity> = fc.record({
		kind: fc.constantFrom("sale", "mint", "transfer"),
		standard: fc.constantFrom("erc721", "erc1155"),
		transactionHash: fc.constantFrom(`0x${"1".repeat(64)}`, `0x${"2".repeat(64)}`),
		tokenId: fc.bigInt(0n, 2n ** 256n - 1n),
		from: party,
		to: party,
	});
	const INT4_MAX = 2 ** 31 - 1;

	test("what only a provider told stands where no log of a chain does, within what the columns hold", () => {
		fc.assert(
			fc.property(identity, (one) => {
				const { logIndex, subIndex } = providerPlace(one);
				expect(logIndex >= PROVIDER_LOG_INDEX && logIndex <= INT4_MAX).toBe(true);
				expect(subIndex >= 0 && subIndex <= INT4_MAX).toBe(true);
			}),
		);
	});

	test("[MRG-07] an ERC-721 token is sold once in a transaction, an ERC-1155 token once between the same two", () => {
		fc.assert(
			fc.property(identity, party, party, (one, from, to) => {
				const other = { ...one, from, to };
				const turned = { ...one, from: one.to, to: one.from };
				const isSame = (a: ProviderIdentity, b: ProviderIdentity) =>
					JSON.stringify(providerPlace(a)) === JSON.stringify(providerPlace(b));
				if (one.standard === "erc721") expect(isSame(one, other)).toBe(true);
				else if (one.kind === "mint") expect(isSame(one, other)).toBe(to === one.to);
				else {
					expect(isSame(one, turned)).toBe(true);
					const between = (a: ProviderIdentity) => [a.from, a.to].sort().join();
					expect(isSame(one, other)).toBe(between(one) === between(other));
				}
				const kind = one.kind === "sale" ? "mint" : "sale";
				expect(isSame(one, { ...one, kind })).toBe(false);
				expect(isSame(one, { ...one, tokenId: one.tokenId ^ 1n })).toBe(false);
			}),
		);
	});
});
