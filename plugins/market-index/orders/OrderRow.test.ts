import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Hex } from "#core/chain/Hex.ts";
import {
	isSameOrder,
	type OrderPush,
	orderRowOf,
	roundsOf,
} from "#plugins/market-index/orders/OrderRow.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { contractOf, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { fakePrices } from "#test/harness/fakes.ts";

describe("isSameOrder", () => {
	const collection = { id: 1, chainId: ethereum.id, address: contractOf(1) };
	const row = orderRowOf(
		listingOf(collection.address, { startsAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 }),
		collection,
		{ prices: fakePrices(), nowMs: NOW_MS },
	);
	if (!row) throw new Error("no order");
	const known = { ...row, hasProtocolData: true };

	test("an order is the same if no member that may change has changed", () => {
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
});

describe("roundsOf", () => {
	const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`;
	const nameOf = (push: OrderPush) =>
		push.type === "order" ? push.order.orderHash : push.orderHash;

	const pushes = fc.array(
		fc.record({
			type: fc.constantFrom("order", "order_gone", "order_back", "order_filled"),
			order: fc.nat(4),
			quantity: fc.bigInt(1n, 5n),
		}),
		{ maxLength: 40 },
	);

	function pushOf({ type, order, quantity }: { type: string; order: number; quantity: bigint }) {
		const orderHash = hashOf(order);
		const named = { slug: "cats", chainId: ethereum.id, orderHash };
		if (type === "order") {
			const told = { ...listingOf(contractOf(1), { quantity }), orderHash };
			return { type, slug: "cats", order: told } as const;
		}
		if (type === "order_filled") return { type, ...named, quantity } as const;
		return { type: type === "order_gone" ? type : "order_back", ...named } as const;
	}

	/** What is told of one order, without what the next word about it replaces. */
	function wordsOf(told: readonly OrderPush[], hash: Hex): OrderPush[] {
		const own = told.filter((push) => nameOf(push) === hash);
		return own.filter((push, at) => push.type !== "order" || own[at + 1]?.type !== "order");
	}

	test("each order gets its changes in order of arrival, one in each round", () => {
		fc.assert(
			fc.property(pushes, (given) => {
				const told = given.map(pushOf);
				const rounds = roundsOf(told);
				for (const round of rounds) {
					expect(round.length).toBeGreaterThan(0);
					expect(new Set(round.map(nameOf)).size).toBe(round.length);
				}
				const after = rounds.flat();
				for (const order of [0, 1, 2, 3, 4].map(hashOf)) {
					expect(after.filter((push) => nameOf(push) === order)).toEqual(wordsOf(told, order));
				}
			}),
		);
	});

	test("changes of many orders are one round, and so are repeated changes of one order", () => {
		const many = Array.from({ length: 50 }, (_, order) =>
			pushOf({ type: "order", order, quantity: 1n }),
		);
		expect(roundsOf(many)).toHaveLength(1);
		const again = Array.from({ length: 50 }, (_, turn) =>
			pushOf({ type: "order", order: 1, quantity: BigInt(turn + 1) }),
		);
		expect(roundsOf(again)).toEqual([[again.at(-1) as OrderPush]]);
	});
});
