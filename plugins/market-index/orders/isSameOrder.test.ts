import { expect, test } from "bun:test";
import { isSameOrder } from "#plugins/market-index/orders/isSameOrder.ts";
import { orderRowOf } from "#plugins/market-index/orders/orderRowOf.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { contractOf, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { fakePrices } from "#test/harness/fakePrices.ts";

const collection = { id: 1, chainId: ethereum.id, address: contractOf(1) };
const row = orderRowOf(
	listingOf(collection.address, { startsAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 }),
	collection,
	{ prices: fakePrices(), nowMs: NOW_MS },
);
if (!row) throw new Error("no order");
const known = { ...row, hasProtocolData: true };

test("an order is the same where nothing that may change did", () => {
	expect(isSameOrder(row, known)).toBe(true);
	expect(isSameOrder({ ...row, unitNative: null, protocolData: null }, known)).toBe(true);
	expect(isSameOrder(row, undefined)).toBe(false);
});

for (const change of [
	{ quantity: "2" },
	{ totalRaw: "2" },
	{ unitNative: "2" },
	{ isPrivate: true },
	{ hasProtocolData: false },
	{ startsAt: null },
	{ expiresAt: new Date(NOW_MS + 2) },
]) {
	test(`an order with another ${Object.keys(change).join()} is written`, () => {
		expect(isSameOrder(row, { ...known, ...change })).toBe(false);
	});
}
