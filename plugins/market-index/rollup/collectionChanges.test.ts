import { expect, test } from "bun:test";
import type { EventRow } from "#plugins/market-index/event/EventRow.ts";
import { collectionChanges } from "#plugins/market-index/rollup/collectionChanges.ts";
import { contractOf, ETH, mintOf, saleOf } from "#plugins/market-index/testing/marketFixture.ts";

const CATS = contractOf(1);
const row = (event: ReturnType<typeof saleOf>, collectionId = 1): EventRow => ({
	...event,
	collectionId,
	totalNative: event.totalRaw,
});

test("the last sale and the last mint are those that stand last in the chain, in any order given", () => {
	const sales = [3, 9, 5].map((logIndex) => {
		return saleOf(CATS, { blockNumber: 7, logIndex, tokenId: BigInt(logIndex), quantity: 3n });
	});
	const mints = [4, 8, 6].map((logIndex) => {
		return mintOf(CATS, { blockNumber: 7, logIndex, totalRaw: BigInt(logIndex) });
	});
	for (const events of [sales, sales.toReversed()]) {
		const [change] = collectionChanges([...events, ...mints].map((event) => row(event)));
		expect(change).toMatchObject({
			sales: 3,
			volume: 3n * ETH,
			lastSale: { tokenId: 9n, unitNative: ETH / 3n, transactionHash: sales[1]?.transactionHash },
			mints: 3,
			lastMint: { totalRaw: 8n, quantity: 1n },
		});
	}
});

test("first and last mint times are the earliest and latest, whatever the chain's clock did", () => {
	const [change] = collectionChanges([
		row(mintOf(CATS, { blockNumber: 1, occurredAtMs: 5_000 })),
		row(mintOf(CATS, { blockNumber: 2, occurredAtMs: 9_000 })),
		row(mintOf(CATS, { blockNumber: 3, occurredAtMs: 2_000 })),
	]);
	expect(change).toMatchObject({ firstMintAtMs: 2_000, lastMintAtMs: 9_000 });
});

test("[IDX-10] what is not accepted changes nothing, not even the last sale", () => {
	const late = { blockNumber: 2 ** 31, accepted: false } as const;
	const events = [saleOf(CATS, late), mintOf(CATS, late), saleOf(CATS, { kind: "transfer" })];
	expect(collectionChanges(events.map((event) => row(event)))).toEqual([]);
});

test("a sale without a known price is the last sale, at a price that is unknown", () => {
	const [change] = collectionChanges([{ ...row(saleOf(CATS)), totalNative: null }]);
	expect(change).toMatchObject({ sales: 1, volume: 0n, lastSale: { unitNative: null } });
});

test("collections are kept apart, and minted units counted by quantity", () => {
	const changes = collectionChanges([
		row(mintOf(CATS, { quantity: 5n })),
		row(mintOf(CATS, { quantity: 2n ** 256n - 1n })),
		row(mintOf(CATS), 2),
	]);
	expect(
		changes.map(({ collectionId, mints, mintedUnits }) => [collectionId, mints, mintedUnits]),
	).toEqual([
		[1, 2, 2n ** 256n + 4n],
		[2, 1, 1n],
	]);
});
