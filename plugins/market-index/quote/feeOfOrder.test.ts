import { expect, test } from "bun:test";
import { feeOfOrder } from "#plugins/market-index/quote/feeOfOrder.ts";

const offerer = `0x${"Aa".repeat(20)}`;
const item = (recipient: string, startAmount: string, itemType: number | string = 0) => ({
	recipient,
	startAmount,
	itemType,
});
const orderOf = (...consideration: unknown[]) => ({ parameters: { offerer, consideration } });

test("what goes to others than the seller is the fee, whatever the case of addresses", () => {
	const order = orderOf(item(offerer.toLowerCase(), "95"), item("0x01", "3"), item("0x02", "2"));
	expect(feeOfOrder(order)).toBe(5n);
	expect(feeOfOrder(orderOf(item(offerer, "95")))).toBe(0n);
});

test("an order that asks for an NFT, or cannot be read, has a fee that is unknown", () => {
	expect(feeOfOrder(orderOf(item(offerer, "1", 2)))).toBeNull();
	for (const odd of [null, {}, "x", orderOf(item(offerer, "-1")), orderOf(item(offerer, "1e3"))]) {
		expect(feeOfOrder(odd)).toBeNull();
	}
	expect(feeOfOrder(orderOf(...Array.from({ length: 101 }, () => item("0x01", "1"))))).toBeNull();
});
