import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, numberToHex, zeroHash } from "viem";
import { usdAnswer } from "../../feeds.ts";
import { addresses } from "../../knownContracts.ts";
import { expireOrders, recheckListings } from "../market/applyBlock.ts";
import {
	addCollection,
	type BookOrder,
	type Collection,
	type Currency,
	ether,
	type Market,
	newMarket,
} from "../market/Market.ts";
import { quoteBlock } from "./quoteBlock.ts";

// Guarantee: the sandbox's book is possible in a market: no bid reaches an ask.

const BLOCK_S = 900;
const lower = (address: Address): Address => `0x${address.slice(2).toLowerCase()}`;
const addressOf = (n: number): Address => numberToHex(n + 1, { size: 20 });
const people = Array.from({ length: 12 }, (_, n) => addressOf(n));
const currency = (address: Address, more: Partial<Currency>): Currency => {
	return { ...ether, address, ...more };
};
const weth = currency(lower(addresses.weth), { symbol: "WETH" });
const coin = currency(addressOf(900), { symbol: "LNTRN", decimals: 6, etherPerUnit: 1 / 2_500 });

/** Opens a market of one collection whose tokens are spread over its actors. */
function openMarket(standard: "erc721" | "erc1155", price: number) {
	const market = newMarket();
	for (const each of [weth, coin]) market.currencies.set(each.address, each);
	const trait = { type: "Hat", value: "Bowler" };
	const collection = addCollection(
		market,
		{
			address: addressOf(500),
			standard,
			name: "Kiln Folk",
			description: null,
			image: null,
			owner: null,
			mint: null,
			royalty: { recipient: addressOf(501), percent: 5 },
			conduitKeys: new Map(people.map((person) => [person, zeroHash])),
			traitIds: new Map([["hat", { trait, ids: [1n, 2n, 3n] }]]),
		},
		0,
	);
	for (let id = 1n; id <= 60n; id++) {
		collection.ids.push(id);
		collection.holders.set(id, new Map([[people[Number(id) % people.length] ?? "0x", 4n]]));
	}
	collection.logPrice = Math.log(price);
	return { market, collection };
}

/** Returns a unit's value to a reader who uses the price feed. */
function unitValue(order: BookOrder, timeS: number): number {
	const units = Number(order.totalRaw) / Number(order.units) / 10 ** order.currency.decimals;
	if (order.currency !== coin) return units;
	return (units * Number(usdAnswer("coin", timeS))) / Number(usdAnswer("eth", timeS));
}

function spreadOf({ open }: Collection, timeS: number) {
	const valuesOf = (isAsk: boolean) =>
		[...open]
			.filter((order) => (order.kind === "listing") === isAsk)
			.map((order) => unitValue(order, timeS));
	return { bid: Math.max(0, ...valuesOf(false)), ask: Math.min(...valuesOf(true)) };
}

/** Advances by one block, at the price after the move; returns the block's time in seconds. */
function step(market: Market, collection: Collection, move: number, seed: number): number {
	collection.logPrice = (collection.logPrice ?? 0) + move;
	const number = market.head.number + 1;
	const timeS = (number + 1) * BLOCK_S;
	market.head = { number, hash: "", timeS };
	expireOrders(market, timeS);
	quoteBlock(market, { seed, actors: people });
	return timeS;
}

const history = fc.record({
	seed: fc.nat(),
	standard: fc.constantFrom("erc721" as const, "erc1155" as const),
	// 0.001 is the lowest price: below an ask of that no bid is possible.
	price: fc.constantFrom(0.001, 0.0012, 0.03, 1.2, 40),
	moves: fc.array(fc.double({ min: -0.25, max: 0.25, noNaN: true }), {
		minLength: 60,
		maxLength: 150,
	}),
});

test("no bid reaches an ask, at any price and in every currency", () => {
	fc.assert(
		fc.property(history, ({ seed, standard, price, moves }) => {
			const { market, collection } = openMarket(standard, price);
			for (const move of moves) {
				const timeS = step(market, collection, move, seed);
				const { bid, ask } = spreadOf(collection, timeS);
				expect(bid).toBeLessThan(ask);
			}
		}),
		{ numRuns: 25 },
	);
});

test("an ask that returns with its token meets no bid that was made meanwhile", () => {
	for (let seed = 1; seed <= 8; seed++) {
		const { market, collection } = openMarket("erc721", 1);
		for (let n = 0; n < 40; n++) step(market, collection, 0, seed);
		const away = [...collection.open].filter(({ kind }) => kind === "listing");
		const units = (order: BookOrder, held: bigint) => {
			const id = order.tokenId ?? 0n;
			collection.holders.get(id)?.set(order.maker, held);
			recheckListings(collection, { holder: order.maker, id }, 0);
		};
		for (const order of away) units(order, 0n);
		expect(new Set(away.map(({ status }) => status))).toEqual(new Set(["INACTIVE"]));
		let timeS = 0;
		for (let n = 0; n < 40; n++) timeS = step(market, collection, 0.003, seed);
		for (const order of away) units(order, 4n);
		const { bid, ask } = spreadOf(collection, timeS);
		expect(bid).toBeWithin(0.1, ask);
	}
});

test("the book follows the price: after it doubled or halved, bids and asks surround it", () => {
	for (const move of [Math.log(2) / 40, -Math.log(2) / 40]) {
		const { market, collection } = openMarket("erc721", 1);
		for (let n = 0; n < 60; n++) step(market, collection, 0, 3);
		let timeS = 0;
		for (let n = 0; n < 40; n++) timeS = step(market, collection, move, 3);
		const going = Math.exp(collection.logPrice ?? 0);
		const { bid, ask } = spreadOf(collection, timeS);
		expect(bid / going).toBeWithin(0.75, 0.98);
		expect(ask / going).toBeWithin(0.84, 1.36);
	}
});
