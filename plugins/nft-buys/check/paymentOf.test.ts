import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { paymentOf } from "#plugins/nft-buys/check/paymentOf.ts";

const who = (digit: string): Address => `0x${digit.repeat(40)}`;
const COIN = who("c");
const WHOLE = { numerator: 1n, denominator: 1n };
const item = (raw: bigint, changes: object = {}) => ({
	itemType: 0,
	token: ZERO_ADDRESS,
	identifierOrCriteria: 0n,
	startAmount: raw,
	endAmount: raw,
	recipient: who("a"),
	...changes,
});

test("a price is the sum of all that is signed, fees included", () => {
	expect(paymentOf([item(97n), item(3n, { recipient: who("b") })], WHOLE)).toEqual({
		currency: ZERO_ADDRESS,
		total: 100n,
		parts: [
			{ recipient: who("a"), raw: 97n },
			{ recipient: who("b"), raw: 3n },
		],
	});
	const coins = [item(5n, { itemType: 1, token: COIN }), item(1n, { itemType: 1, token: COIN })];
	expect(paymentOf(coins, WHOLE)).toMatchObject({ currency: COIN, total: 6n });
});

test("what cannot be checked completely is no price", () => {
	const coin = { itemType: 1, token: COIN };
	const lists = [
		[],
		[item(0n)],
		[item(5n), item(5n, coin)],
		[item(5n, coin), item(5n, { itemType: 1, token: who("d") })],
		[item(5n, { itemType: 2, token: COIN })],
		[item(5n), item(1n, { itemType: 2, token: COIN })],
		[item(5n), item(1n, { itemType: 3, token: COIN })],
		[item(5n, { itemType: 4, token: COIN })],
		[item(5n, { itemType: 0, token: COIN })],
		[item(5n, { itemType: 1 })],
		[item(5n, { endAmount: 6n })],
		[item(5n, { endAmount: 4n })],
		[item(5n, { identifierOrCriteria: 1n })],
	];
	for (const list of lists)
		expect({ list, price: paymentOf(list, WHOLE) }).toEqual({ list, price: null });
});

test("a part of nothing, of more than all, and one that does not divide are none", () => {
	for (const [numerator, denominator] of [
		[0n, 1n],
		[2n, 1n],
		[1n, 0n],
		[1n, 3n],
	] as const) {
		expect(paymentOf([item(10n)], { numerator, denominator })).toBeNull();
	}
	expect(paymentOf([item(10n)], { numerator: 3n, denominator: 10n })?.total).toBe(3n);
});

test("parts add up to the total, and are never more than what was signed", () => {
	const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), { minLength: 1, maxLength: 8 });
	fc.assert(
		fc.property(amounts, fc.bigInt(1n, 20n), fc.bigInt(1n, 20n), (raws, a, b) => {
			const [numerator, denominator] = a <= b ? [a, b] : [b, a];
			const payment = paymentOf(
				raws.map((raw) => item(raw * denominator)),
				{ numerator, denominator },
			);
			const sum = raws.reduce((left, raw) => left + raw, 0n);
			expect(payment?.total ?? 0n).toBe(sum * numerator);
		}),
	);
});
