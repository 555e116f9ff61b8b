import { expect, test } from "bun:test";
import type { Address, Hex } from "viem";
import { type ChainLog, type Item, salesOf } from "./readBlocks.ts";

const who = (n: number): Address => `0x${String(n).padStart(40, "0")}`;
const [seller, buyer, artist, relayer, contract] = [who(1), who(2), who(3), who(4), who(9)];
const nft = (id: bigint, amount = 1n): Item => ({
	itemType: 2,
	token: contract,
	identifier: id,
	amount,
});
const ether = (amount: bigint): Item => ({
	itemType: 0,
	token: who(0),
	identifier: 0n,
	amount,
});
const coin = (amount: bigint): Item => ({ ...ether(amount), itemType: 1, token: who(7) });
const to = (recipient: Address, item: Item) => ({ ...item, recipient });
const hash = (n: number): Hex => `0x${String(n).padStart(64, "0")}`;
type Fulfilled = Extract<ChainLog, { kind: "fulfilled" }>;
const filled = (order: Partial<Fulfilled>): Fulfilled => ({
	kind: "fulfilled",
	orderHash: hash(1),
	offerer: seller,
	recipient: buyer,
	offer: [],
	consideration: [],
	...order,
});

test("a filled listing is sold by its offerer to the recipient, at the sum of all payments", () => {
	const paid = [to(seller, ether(94n)), to(artist, ether(6n))];
	expect(salesOf([filled({ offer: [nft(5n)], consideration: paid })])).toEqual([
		{
			contract,
			id: 5n,
			units: 1n,
			seller,
			buyer,
			totalRaw: 100n,
			currency: who(0),
			orderHash: hash(1),
			isAcceptedOffer: false,
		},
	]);
});

test("an accepted offer is bought by its offerer at the offered amount, fees included", () => {
	const wanted = [to(buyer, nft(5n)), to(artist, coin(6n))];
	const offer = filled({
		offerer: buyer,
		recipient: seller,
		offer: [coin(100n)],
		consideration: wanted,
	});
	expect(salesOf([offer])).toMatchObject([
		{ seller, buyer, totalRaw: 100n, currency: who(7), isAcceptedOffer: true },
	]);
});

test("a listing and an offer matched by a third party are one sale between their makers", () => {
	const listing = filled({
		recipient: relayer,
		offer: [nft(5n)],
		consideration: [to(seller, coin(90n))],
	});
	const offer = filled({
		orderHash: hash(2),
		offerer: buyer,
		recipient: relayer,
		offer: [coin(100n)],
		consideration: [to(buyer, nft(5n))],
	});
	for (const logs of [
		[listing, offer],
		[offer, listing],
	]) {
		expect(salesOf(logs)).toMatchObject([{ seller, buyer, totalRaw: 100n }]);
	}
});

test("a private listing is bought by the buyer that it names", () => {
	const consideration = [to(seller, ether(100n)), to(buyer, nft(5n))];
	const listing = filled({ recipient: seller, offer: [nft(5n)], consideration });
	expect(salesOf([listing, filled({ offerer: buyer, offer: [ether(100n)] })])).toMatchObject([
		{ seller, buyer, totalRaw: 100n },
	]);
});

test("the prices of a bundle's parts sum to the paid amount", () => {
	const offer = [nft(1n), nft(2n), nft(3n)];
	const sales = salesOf([filled({ offer, consideration: [to(seller, ether(100n))] })]);
	expect(sales.map(({ totalRaw }) => totalRaw)).toEqual([34n, 33n, 33n]);
});

const none: Record<string, Fulfilled> = {
	"a gift": filled({ offer: [nft(1n)] }),
	"a swap": filled({ offer: [nft(1n)], consideration: [to(seller, nft(2n))] }),
	"a swap with a payment": filled({
		offer: [nft(1n)],
		consideration: [to(seller, nft(2n)), to(seller, ether(1n))],
	}),
	"two currencies": filled({
		offer: [nft(1n)],
		consideration: [to(seller, ether(1n)), to(artist, coin(1n))],
	}),
	"a payment of nothing": filled({ offer: [nft(1n)], consideration: [to(seller, ether(0n))] }),
	"a trade with oneself": filled({
		recipient: seller,
		offer: [nft(1n)],
		consideration: [to(seller, ether(1n))],
	}),
};
for (const [name, order] of Object.entries(none)) {
	test(`${name} is no sale`, () => expect(salesOf([order])).toEqual([]));
}
