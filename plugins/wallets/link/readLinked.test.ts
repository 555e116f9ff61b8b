import { expect, test } from "bun:test";
import { paymentsOf } from "#plugins/wallets/link/readLinked.ts";

const ether = { symbol: "ETH", decimals: 18 };
const pays = (recipient: string, amountRaw: string) => ({ recipient, amountRaw, ...ether });

test("a link shows exactly each recipient and amount, and distinguishes the seller from fees", () => {
	const payments = [pays("0xb", "990000000000000001"), pays("0xc", "9999999999999999")];
	expect(paymentsOf({ shown: { seller: "0xb", payments } })).toEqual([
		{ recipient: "0xb", isSeller: true, amount: "0.990000000000000001", symbol: "ETH" },
		{ recipient: "0xc", isSeller: false, amount: "0.009999999999999999", symbol: "ETH" },
	]);
});

test("a plan that lacks the recipients, or has them in another form, shows none", () => {
	for (const shown of [{}, { payments: "all" }, { payments: [pays("0xb", "0x1")] }]) {
		expect(paymentsOf({ shown })).toEqual([]);
	}
});
