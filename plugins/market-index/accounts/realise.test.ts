import { expect, test } from "bun:test";
import type { AccountEvent } from "#plugins/market-index/accounts/accountEvents.ts";
import { realise } from "#plugins/market-index/accounts/realise.ts";
import { contractOf, ETH, mintOf, saleOf } from "#plugins/market-index/testing/marketFixture.ts";

const ME = contractOf(0x111e);
const OTHER = contractOf(0xbbbb);
const CATS = contractOf(0xca75);

type Given = Partial<AccountEvent["event"]> & { standard?: "erc721" | "erc1155" };

/** An event of token 1 unless said otherwise, in the order in which a test makes them. */
function eventOf({ standard = "erc721", ...given }: Given): AccountEvent {
	const made = given.kind === "mint" ? mintOf(CATS) : saleOf(CATS);
	const { standard: _, ...event } = { ...made, tokenId: 1n, totalNative: made.totalRaw, ...given };
	return {
		event: { ...event, kind: given.kind ?? "sale" },
		chainId: 1,
		collection: { id: 7, slug: "cats", name: null, standard },
	};
}

const bought = (given: Given = {}) => eventOf({ from: OTHER, to: ME, totalNative: ETH, ...given });
const sold = (given: Given = {}) =>
	eventOf({ from: ME, to: OTHER, totalNative: 3n * ETH, ...given });
const moved = (given: Given) => eventOf({ kind: "transfer", totalNative: null, ...given });

const WHOLE = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
const options = { account: ME, ethUsd: () => 1_000, isCut: false, held: () => WHOLE };

function resultOf(
	events: readonly AccountEvent[],
	given: Partial<Parameters<typeof realise>[1]> = {},
) {
	const results = realise(events, { ...options, ...given });
	const [one] = results.values();
	if (!one) throw new Error("nothing was sold");
	return one;
}

const NOTHING = { cost_not_seen: 0n, cost_unknown: 0n, price_unknown: 0n };

test("what was bought for 1 and sold for 3 realised 2, in ETH and in dollars of each time", () => {
	expect(resultOf([bought(), sold()])).toMatchObject({
		unitsSold: 1n,
		unitsRealised: 1n,
		proceeds: 3n * ETH,
		cost: ETH,
		proceedsUsd: 3_000,
		costUsd: 1_000,
		unitsWithoutUsd: 0n,
		leftOut: NOTHING,
	});
});

test("a mint costs its price, and a free one nothing", () => {
	const mint = (totalNative: bigint) => eventOf({ kind: "mint", to: ME, totalNative });
	expect(resultOf([mint(ETH / 2n), sold()]).cost).toBe(ETH / 2n);
	expect(resultOf([mint(0n), sold()])).toMatchObject({ cost: 0n, unitsRealised: 1n });
});

test("units of an ERC-1155 go first in, first out, and the parts of a price make the whole", () => {
	const lots = [
		bought({ standard: "erc1155", quantity: 3n, totalNative: 100n }),
		bought({ standard: "erc1155", quantity: 2n, totalNative: 1_000n }),
		sold({ standard: "erc1155", quantity: 2n, totalNative: 201n }),
		sold({ standard: "erc1155", quantity: 2n, totalNative: 999n }),
	];
	// 66 for the first two, then 34 for the third and half of the second lot.
	expect(resultOf(lots.slice(0, 3))).toMatchObject({ cost: 66n, proceeds: 201n });
	expect(resultOf(lots)).toMatchObject({ cost: 600n, proceeds: 1_200n, unitsRealised: 4n });
});

test("what is not known is in no sum, and counted by its reason", () => {
	expect(resultOf([sold()]).leftOut.cost_not_seen).toBe(1n);
	expect(resultOf([bought({ totalNative: null }), sold()]).leftOut.cost_unknown).toBe(1n);
	expect(resultOf([bought(), sold({ totalNative: null })]).leftOut.price_unknown).toBe(1n);
	const doubted = sold({ reason: "price_unproven" });
	expect(resultOf([bought(), doubted])).toMatchObject({
		unitsRealised: 0n,
		proceedsUsd: null,
		leftOut: { price_unknown: 1n },
	});
	expect(realise([bought()], options).size).toBe(0);
});

test("without a rate of either time a result is in ETH alone", () => {
	const events = [bought({ occurredAtMs: 1_000 }), sold({ occurredAtMs: 2_000 })];
	const ethUsd = (atMs: number) => (atMs === 1_000 ? null : 1_000);
	const [one] = realise(events, { ...options, ethUsd }).values();
	expect(one).toMatchObject({ unitsRealised: 1n, unitsWithoutUsd: 1n, costUsd: null });
});

test("events that are not accepted neither cost nor bring anything", () => {
	const events = [bought(), bought({ accepted: false, reason: "duplicate" }), sold()];
	expect(resultOf(events)).toMatchObject({ unitsSold: 1n, cost: ETH });
	const refused = sold({ accepted: false, reason: "zero_price" });
	expect(realise([bought(), refused], options).size).toBe(0);
});

test("a token that came by a transfer has a cost that nobody saw, also if it was owned before", () => {
	const came = moved({ from: OTHER, to: ME });
	expect(resultOf([bought(), came, sold()])).toMatchObject({
		unitsRealised: 0n,
		leftOut: { cost_not_seen: 1n },
	});
	const units = [
		bought({ standard: "erc1155", quantity: 2n, totalNative: 10n }),
		moved({ standard: "erc1155", from: ME, to: OTHER, quantity: 1n }),
		sold({ standard: "erc1155", quantity: 2n, totalNative: 10n }),
	];
	expect(resultOf(units)).toMatchObject({
		unitsRealised: 1n,
		cost: 5n,
		leftOut: { cost_not_seen: 1n },
	});
});

test("the transfer of a sale is not a second move of its token", () => {
	const purchase = bought();
	const { transactionHash } = purchase.event;
	const told = moved({ from: OTHER, to: ME, transactionHash });
	expect(resultOf([purchase, told, sold()])).toMatchObject({ unitsRealised: 1n, cost: ETH });
});

test("an ERC-721 that is bought again costs its last price: the first one left unseen", () => {
	expect(resultOf([bought(), bought({ totalNative: 2n * ETH }), sold()]).cost).toBe(2n * ETH);
});

test("where older events were not read, the cost of an ERC-1155 is not known", () => {
	const units = [
		bought({ standard: "erc1155", quantity: 2n }),
		sold({ standard: "erc1155", quantity: 1n }),
	];
	expect(resultOf(units, { isCut: true })).toMatchObject({
		unitsRealised: 0n,
		leftOut: { cost_not_seen: 1n },
	});
	expect(resultOf([bought(), sold()], { isCut: true }).unitsRealised).toBe(1n);
});

test("where events may be missing between a purchase and its sale, the cost is not known", () => {
	const events = [bought({ occurredAtMs: 1_000 }), sold({ occurredAtMs: 2_000 })];
	const unitsOf = (held: { fromMs: number; untilMs: number } | null, given = events) =>
		resultOf(given, { held: () => held }).unitsRealised;
	expect(unitsOf({ fromMs: 1_000, untilMs: 2_000 })).toBe(1n);
	expect(unitsOf({ fromMs: 1_001, untilMs: 2_000 })).toBe(0n);
	expect(unitsOf({ fromMs: 0, untilMs: 1_999 })).toBe(0n);
	expect(unitsOf(null)).toBe(0n);
	// Older units would go first: they may be there wherever the beginning was not seen.
	const units = [
		bought({ standard: "erc1155", occurredAtMs: 1_000 }),
		sold({ standard: "erc1155", occurredAtMs: 2_000 }),
	];
	expect(unitsOf({ fromMs: 1, untilMs: 2_000 }, units)).toBe(0n);
	expect(unitsOf({ fromMs: 0, untilMs: 2_000 }, units)).toBe(1n);
});
