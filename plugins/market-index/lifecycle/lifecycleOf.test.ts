import { expect, test } from "bun:test";
import type { LifecycleFacts } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { lifecycleOf } from "#plugins/market-index/lifecycle/lifecycleOf.ts";

const NOW = 1_700_000_000_000;
const DAY = 86_400_000;

function at(facts: Partial<LifecycleFacts>): string | null {
	const minted = facts.mintedUnits ?? 0n;
	const mintAt = minted > 0n ? NOW - 1_000 : null;
	return lifecycleOf(
		{
			mintedUnits: minted,
			maxSupply: null,
			firstMintAtMs: mintAt,
			lastMintAtMs: mintAt,
			sales: 0,
			isTraded: false,
			isAnnounced: false,
			...facts,
		},
		NOW,
	);
}

test("[IDX-04] a collection goes from upcoming over minting to minted out by its facts alone", () => {
	expect(at({ maxSupply: 3n, isAnnounced: true })).toBe("upcoming");
	expect(at({ maxSupply: 3n, mintedUnits: 1n })).toBe("minting");
	expect(at({ maxSupply: 3n, mintedUnits: 3n })).toBe("minted_out");
	expect(at({ maxSupply: 3n, mintedUnits: 4n })).toBe("minted_out");
});

test("[IDX-04] without a known maximum, sales and a day without mints make it secondary", () => {
	const silent = { mintedUnits: 1n, firstMintAtMs: NOW - DAY, lastMintAtMs: NOW - DAY };
	expect(at({ ...silent, sales: 1 })).toBe("secondary");
	expect(at({ ...silent, sales: 1, maxSupply: 0n })).toBe("secondary");
	expect(at({ ...silent, sales: 0 })).toBe("minting");
	expect(at({ ...silent, sales: 1, maxSupply: 5n })).toBe("minting");
	expect(at({ ...silent, sales: 1, lastMintAtMs: NOW - DAY + 1 })).toBe("minting");
});

test("[IDX-04] a collection that sells and whose mint was never seen is secondary", () => {
	expect(at({ sales: 1 })).toBe("secondary");
	expect(at({ isTraded: true })).toBe("secondary");
	expect(at({ sales: 1, maxSupply: 10_000n })).toBe("secondary");
});

test("[MRG-02] a collection that nothing is known of is not upcoming: that takes an announced mint", () => {
	expect(at({})).toBeNull();
	expect(at({ maxSupply: 10_000n })).toBeNull();
	expect(at({ isAnnounced: true })).toBe("upcoming");
	expect(at({ isAnnounced: true, sales: 1 })).toBe("secondary");
	expect(at({ isAnnounced: true, isTraded: true })).toBe("secondary");
});
