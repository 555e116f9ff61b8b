import { expect, test } from "bun:test";
import fc from "fast-check";
import {
	PROVIDER_LOG_INDEX,
	type ProviderIdentity,
	providerPlace,
} from "#plugins/market-index/event/providerPlace.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

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
