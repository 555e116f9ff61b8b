import { expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { sumPayments } from "#plugins/chain-scanner/venues/seaport/priceComponent.ts";

const coin = "0x00000000000000000000000000000000000000cc";
const native = { itemType: 0, token: ZERO_ADDRESS, identifier: 0n, amount: 3n } as const;
const erc20 = { itemType: 1, token: coin, identifier: 0n, amount: 4n } as const;

test("[ING-12] payments of one currency add up, two currencies give no price", () => {
	expect(sumPayments([native, native])).toEqual({
		kind: "amount",
		currency: ZERO_ADDRESS,
		total: 6n,
	});
	expect(sumPayments([erc20])).toEqual({ kind: "amount", currency: coin, total: 4n });
	expect(sumPayments([erc20, native])).toEqual({ kind: "severalCurrencies" });
	expect(sumPayments([])).toEqual({ kind: "amount", currency: ZERO_ADDRESS, total: 0n });
});

test("[ING-12] an item of native type is the native coin, whatever token address it has", () => {
	expect(sumPayments([native, { ...native, token: coin }])).toMatchObject({ total: 6n });
});
