import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { settleSwap } from "#plugins/trading/swap/tradeKind.ts";

// Guarantee: the cost and result of a swap are read from its own transaction's logs, to the base
// unit.

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [WALLET, ROUTER, POOL, WETH, USDG, STOCK] = [..."123456"].map(account) as [
	...[Address, Address, Address, Address, Address, Address],
];
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const DEPOSIT = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const WITHDRAWAL = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";
const word = (value: bigint | Address): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;
const moved = (token: Address, from: Address, to: Address, raw: bigint) => {
	return { address: token, topics: [TRANSFER, word(from), word(to)] as Hex[], data: word(raw) };
};
const wraps = (topic: Hex, whose: Address, raw: bigint) => {
	return { address: WETH, topics: [topic, word(whose)], data: word(raw) };
};
const settled = (logs: Parameters<typeof settleSwap>[0]["logs"], sell: Address, buy: Address) =>
	settleSwap({ logs }, { wallet: WALLET, router: ROUTER, wrapped: WETH, sell, buy });

test("of a token swap the amounts that left and reached the wallet count, and no other transfers", () => {
	const logs = [
		moved(USDG, WALLET, POOL, 50n),
		moved(WETH, POOL, ROUTER, 9n),
		moved(STOCK, POOL, WALLET, 7n),
		moved(STOCK, POOL, ROUTER, 1_000n),
	];
	expect(settled(logs, USDG, STOCK)).toEqual({ spentRaw: 50n, receivedRaw: 7n });
});

test("a refund does not count as spent, and a forwarded amount not as received", () => {
	const logs = [
		moved(USDG, WALLET, POOL, 50n),
		moved(USDG, POOL, WALLET, 8n),
		moved(STOCK, POOL, WALLET, 7n),
		moved(STOCK, WALLET, POOL, 2n),
		moved(STOCK, WALLET, WALLET, 100n),
	];
	expect(settled(logs, USDG, STOCK)).toEqual({ spentRaw: 42n, receivedRaw: 5n });
});

test("the coin counts by the wrapped amounts between router and pools", () => {
	for (const wrap of [[wraps(DEPOSIT, ROUTER, 30n)], [moved(WETH, ZERO_ADDRESS, ROUTER, 30n)]]) {
		const bought = [...wrap, moved(WETH, ROUTER, POOL, 30n), moved(STOCK, POOL, WALLET, 7n)];
		expect(settled(bought, ZERO_ADDRESS, STOCK)).toEqual({ spentRaw: 30n, receivedRaw: 7n });
	}
	for (const wrap of [[wraps(WITHDRAWAL, ROUTER, 29n)], [moved(WETH, ROUTER, ZERO_ADDRESS, 29n)]]) {
		const sold = [moved(STOCK, WALLET, POOL, 7n), moved(WETH, POOL, ROUTER, 29n), ...wrap];
		expect(settled(sold, STOCK, ZERO_ADDRESS)).toEqual({ spentRaw: 7n, receivedRaw: 29n });
	}
	const other = [moved(WETH, POOL, account("9"), 30n)];
	expect(settled(other, ZERO_ADDRESS, STOCK)).toEqual({ spentRaw: 0n, receivedRaw: 0n });
});

test("logs of another form, token or event are not counted", () => {
	const good = moved(STOCK, POOL, WALLET, 7n);
	for (const log of [
		{ ...good, address: account("9") },
		{ ...good, topics: good.topics.slice(0, 2) },
		{ ...good, topics: [...good.topics, word(1n)] },
		{ ...good, topics: [DEPOSIT as Hex, ...good.topics.slice(1)] },
		{ ...good, data: "0x" as Hex },
		{ ...good, data: `${good.data}00` as Hex },
	]) {
		expect(settled([log], USDG, STOCK)).toEqual({ spentRaw: 0n, receivedRaw: 0n });
	}
});

test("transfers add up to the same in any order", () => {
	const raws = fc.array(fc.bigInt(0n, 10n ** 30n), { minLength: 1, maxLength: 8 });
	fc.assert(
		fc.property(raws, raws, (out, back) => {
			const logs = [
				...out.map((raw) => moved(USDG, WALLET, POOL, raw)),
				...back.map((raw) => moved(USDG, POOL, WALLET, raw)),
			];
			const sum = (all: readonly bigint[]) => all.reduce((one, other) => one + other, 0n);
			const expected = sum(out) - sum(back);
			expect(settled(logs, USDG, STOCK).spentRaw).toBe(expected);
			expect(settled(logs.toReversed(), USDG, STOCK).spentRaw).toBe(expected);
		}),
	);
});
