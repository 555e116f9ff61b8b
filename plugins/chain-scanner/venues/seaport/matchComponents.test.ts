import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hex } from "viem";
import { orderSides, pairNfts } from "#plugins/chain-scanner/venues/seaport/matchComponents.ts";
import { cpuTimer } from "#test/harness/until.ts";

const token: Hex = "0x00000000000000000000000000000000000000cc";
const person = (index: number): Hex => `0x${(index + 1).toString(16).padStart(40, "0")}`;
const nft = (identifier: bigint, amount: bigint) => ({
	itemType: 3 as const,
	token,
	identifier,
	amount,
});
const side = (
	offerer: number,
	gives: { id: bigint; amount: bigint }[],
	asks: { id: bigint; amount: bigint; to: number }[],
) =>
	orderSides({
		logIndex: 0,
		order: {
			orderHash: `0x${"00".repeat(32)}`,
			offerer: person(offerer),
			zone: person(99),
			recipient: person(98),
			offer: gives.map(({ id, amount }) => nft(id, amount)),
			consideration: asks.map(({ id, amount, to }) => ({
				...nft(id, amount),
				recipient: person(to),
			})),
		},
	});

test("[ING-12] every unit of an NFT is sold once", () => {
	const lot = { id: fc.bigInt({ min: 1n, max: 2n }), amount: fc.bigInt({ min: 0n, max: 5n }) };
	const orders = fc.array(
		fc.tuple(
			fc.nat({ max: 3 }),
			fc.array(fc.record(lot), { maxLength: 3 }),
			fc.array(fc.record({ ...lot, to: fc.nat({ max: 3 }) }), { maxLength: 3 }),
		),
		{ maxLength: 6 },
	);
	fc.assert(
		fc.property(orders, (drawn) => {
			const sides = drawn.map(([offerer, gives, asks]) => side(offerer, gives, asks));
			const { pairs, unasked, unmet } = pairNfts(sides);
			const sum = (list: bigint[]) => list.reduce((total, amount) => total + amount, 0n);
			const moved = sum(pairs.map(({ quantity }) => quantity));
			const given = sum(sides.flatMap(({ givesNfts }) => givesNfts.map(({ amount }) => amount)));
			const asked = sum(sides.flatMap(({ asksNfts }) => asksNfts.map(({ amount }) => amount)));
			expect(moved + sum(unasked.map(({ left }) => left))).toBe(given);
			expect(moved + sum(unmet.map(({ left }) => left))).toBe(asked);
			for (const { supply, demand, quantity } of pairs) {
				expect(quantity).toBeGreaterThan(0n);
				expect(supply.item.identifier).toBe(demand.item.identifier);
			}
		}),
	);
});

test("[ING-12] a private listing is sold to the buyer that it names, even if others ask for the NFT", () => {
	const named = side(0, [{ id: 1n, amount: 1n }], [{ id: 1n, amount: 1n, to: 1 }]);
	const resale = side(1, [{ id: 1n, amount: 1n }], []);
	const bid = side(2, [], [{ id: 1n, amount: 1n, to: 2 }]);
	const way = pairNfts([bid, resale, named]).pairs.map(({ supply, demand }) => [
		supply.side.order.offerer,
		demand.item.recipient,
	]);
	expect(way).toEqual(
		expect.arrayContaining([
			[person(0), person(1)],
			[person(1), person(2)],
		]),
	);
});

test("[ING-12] an NFT that passes through a dealer gives two sales, none of them a self-trade", () => {
	const owner = side(0, [{ id: 1n, amount: 1n }], []);
	const dealerSells = side(1, [{ id: 1n, amount: 1n }], []);
	const dealerBuys = side(1, [], [{ id: 1n, amount: 1n, to: 1 }]);
	const collector = side(2, [], [{ id: 1n, amount: 1n, to: 2 }]);
	for (const sides of [
		[owner, dealerSells, dealerBuys, collector],
		[dealerSells, owner, collector, dealerBuys],
	]) {
		for (const { supply, demand } of pairNfts(sides).pairs) {
			expect(supply.side.order.offerer).not.toBe(demand.item.recipient);
		}
	}
});

test("[ING-12] thousands of lots of one NFT are paired in short time", () => {
	const sides = Array.from({ length: 8_000 }, (_, index) =>
		side(index, [{ id: 1n, amount: 2n }], [{ id: 1n, amount: 2n, to: index + 1 }]),
	);
	const cpuMs = cpuTimer();
	expect(pairNfts(sides).unmet).toEqual([]);
	expect(cpuMs()).toBeLessThan(2_000);
});
