import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	areSameOrders,
	firstDenial,
	isSameOrder,
	listingDenial,
	stateDenial,
} from "#plugins/nft-buys/check/checks.ts";
import { type Filled, fillingDenial, paymentOf } from "#plugins/nft-buys/check/fillingDenial.ts";
import { readFilling } from "#plugins/nft-buys/seaport/encodeFilling.ts";
import { hashOrder, type OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";
import { sellListing } from "#test/harness/sellListing.ts";

describe("fillingDenial", () => {
	const NOW_MS = Date.UTC(2026, 10, 21, 12);
	const NFT: Address = `0x${"c".repeat(40)}`;
	const WALLET: Address = `0x${"1".repeat(40)}`;
	const SELLER: Address = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
	const open = { counter: 0n, isCancelled: false, totalFilled: 0n, totalSize: 0n };

	let filled: Filled;
	beforeAll(async () => {
		const listed = await sellListing({
			seller: 2,
			token: { itemType: 2, contract: NFT, id: 7n },
			payments: [{ recipient: SELLER, raw: 100n }],
			nowMs: NOW_MS,
		});
		const { listing } = listed;
		const fulfilment = listed.fulfilment(1n);
		const filling = readFilling(fulfilment);
		if (typeof filling === "string") throw new Error(filling);
		const payment = paymentOf(filling.parameters.consideration, filling);
		if (!payment) throw new Error("no payment");
		const wanted = {
			chainId: 31_337,
			marketplace: listing.protocolAddress ?? NFT,
			wallet: WALLET,
			contract: NFT,
			tokenId: 7n,
			quantity: 1n,
			nowMs: NOW_MS,
		};
		filled = { filling, payment, fulfilment, listing, wanted, state: open };
	});

	const said = (changes: Partial<Filled>) =>
		fillingDenial({ ...filled, ...changes })?.detail ?? null;

	test("[NFT-03] an unchanged fulfilment is accepted", () => {
		expect(said({})).toBeNull();
	});

	test("[NFT-03] each member of a fulfilment is compared with the request", () => {
		const { wanted, fulfilment, filling, state } = filled;
		const wants = (changes: Partial<Filled["wanted"]>) =>
			said({ wanted: { ...wanted, ...changes } });
		const fills = (changes: Partial<Filled["filling"]>) =>
			said({ filling: { ...filling, ...changes } });
		const sends = (changes: object) =>
			said({
				fulfilment: { ...fulfilment, transaction: { ...fulfilment.transaction, ...changes } },
			});
		expect(wants({ contract: WALLET })).toContain("collection");
		expect(wants({ tokenId: 8n })).toContain("token");
		expect(wants({ quantity: 2n })).toContain("amount");
		expect(wants({ wallet: SELLER })).toContain("seller");
		expect(wants({ nowMs: NOW_MS + 86_400_000 })).toContain("time");
		expect(wants({ nowMs: NOW_MS - 3_601_000 })).toContain("time");
		expect(wants({ marketplace: NFT })).toContain("marketplace");
		expect(wants({ chainId: 1 })).toContain("chain");
		expect(fills({ recipient: SELLER })).toContain("recipient");
		expect(fills({ fulfillerConduitKey: `0x${"1".repeat(64)}` })).toContain("conduit");
		expect(fills({ resolvers: 1 })).toContain("criteria");
		expect(fills({ numerator: 1n, denominator: 2n })).toContain("amount");
		expect(sends({ valueRaw: 101n })).toContain("value");
		expect(sends({ valueRaw: 99n })).toContain("value");
		expect(sends({ calldataSuffix: `0x${"00".repeat(32)}` })).toBeNull();
		expect(sends({ calldataSuffix: `0x${"00".repeat(33)}` })).toContain("attribution");
		expect(said({ fulfilment: { ...fulfilment, protocol: "seaport1.5" } })).toContain("protocol");
		expect(said({ state: { ...state, counter: 1n } })).toContain("order");
		expect(said({ listing: { ...filled.listing, totalRaw: 99n } })).toContain("price");
		expect(said({ listing: { ...filled.listing, currency: NFT } })).toContain("currency");
		expect(said({ listing: { ...filled.listing, maker: WALLET } })).toContain("seller");
	});

	/**
	 * Returns the fulfilment for another order, consistently: the seller signed these terms, and
	 * provider, book and chain agree.
	 */
	function resigned(terms: Partial<OrderParameters>, changes: Partial<Filled> = {}): Filled {
		const parameters = { ...filled.filling.parameters, ...terms };
		const { counter } = filled.state;
		const asText = (_: string, value: unknown) =>
			typeof value === "bigint" ? String(value) : value;
		const listing = {
			...filled.listing,
			orderHash: hashOrder(parameters, counter),
			protocolData: JSON.parse(JSON.stringify({ parameters: { ...parameters, counter } }, asText)),
		};
		const fulfilment = { ...filled.fulfilment, orders: [] };
		return {
			...filled,
			filling: { ...filled.filling, parameters },
			listing,
			fulfilment,
			...changes,
		};
	}

	test("[NFT-03] a seller's order that offers something else is refused, even with a valid signature", () => {
		const [goods] = filled.filling.parameters.offer;
		if (!goods) throw new Error("no goods");
		const offered = (offer: OrderParameters["offer"], changes: Partial<Filled> = {}) =>
			fillingDenial(resigned({ offer }, changes))?.detail ?? null;
		expect(offered([goods])).toBeNull();
		expect(offered([goods, goods])).toContain("number of offered tokens");
		expect(offered([goods, { ...goods, token: SELLER }])).toContain("number of offered tokens");
		for (const itemType of [0, 1, 4, 5]) {
			expect(offered([{ ...goods, itemType }])).toContain("kind of token");
		}
		expect(offered([{ ...goods, endAmount: 2n }])).toContain("amount");
		const two = { ...goods, startAmount: 2n, endAmount: 2n };
		const pair = { ...filled.wanted, quantity: 2n };
		const listing = (offer: OrderParameters["offer"]) => {
			return { ...resigned({ offer }).listing, quantity: 2n };
		};
		expect(offered([two], { wanted: pair, listing: listing([two]) })).toContain("amount");
		const edition = { ...two, itemType: 3 };
		expect(offered([edition], { wanted: pair, listing: listing([edition]) })).toBeNull();
	});

	test("[NFT-03] a part is accepted only of an order that allows it, and only up to the rest", () => {
		const [goods] = filled.filling.parameters.offer;
		if (!goods) throw new Error("no goods");
		const offer = [{ ...goods, itemType: 3, startAmount: 4n, endAmount: 4n }];
		const part = (orderType: number, state = filled.state) => {
			const made = resigned({ offer, orderType }, { state });
			const filling = { ...made.filling, numerator: 1n, denominator: 4n };
			const payment = { ...filled.payment, total: 25n };
			const transaction = { ...made.fulfilment.transaction, valueRaw: 25n };
			const fulfilment = { ...made.fulfilment, transaction };
			const listing = { ...made.listing, quantity: 4n };
			return fillingDenial({ ...made, filling, payment, fulfilment, listing })?.detail ?? null;
		};
		expect(part(0)).toContain("part");
		expect(part(1)).toBeNull();
		expect(part(1, { ...filled.state, totalFilled: 3n, totalSize: 4n })).toBeNull();
		expect(part(1, { ...filled.state, totalFilled: 7n, totalSize: 8n })).toContain("left");
	});

	test("[NFT-03] call, order book, times and the additional orders must describe one order", () => {
		const { listing, fulfilment, filling } = filled;
		const bare = { ...fulfilment, orders: [] };
		const other = { ...filling.parameters, salt: filling.parameters.salt + 1n };
		expect(said({ filling: { ...filling, parameters: other }, fulfilment: bare })).toBe(
			"The fulfilment has another order.",
		);
		const tipped = { ...filling.parameters, totalOriginalConsiderationItems: 0n };
		expect(said({ filling: { ...filling, parameters: tipped } })).toContain("number of payments");
		const early = (listing.startsAtMs ?? 0) - 1_000;
		expect(said({ listing: { ...listing, startsAtMs: early } })).toContain("beginning");
		expect(said({ listing: { ...listing, startsAtMs: null } })).toContain("beginning");
		expect(said({ listing: { ...listing, expiresAtMs: null } })).toContain("end");
		expect(said({ listing: { ...listing, protocolData: null } })).toContain("book");
		expect(said({ fulfilment: { ...fulfilment, orders: [{}] } })).toContain("beside");
		expect(said({ fulfilment: bare })).toBeNull();
	});

	test("an order without an expiry is not compared with the expiry in the order book", () => {
		const endless = resigned({ startTime: 0n, endTime: 2n ** 256n - 1n });
		const listing = { ...endless.listing, startsAtMs: null, expiresAtMs: null };
		expect(fillingDenial({ ...endless, listing })).toBeNull();
	});

	test("a recipient may be the wallet's own address, or the sender", () => {
		const { filling } = filled;
		expect(said({ filling: { ...filling, recipient: WALLET } })).toBeNull();
	});

	test("additional orders must be the same order", () => {
		const { filling, listing, fulfilment } = filled;
		const as = { orderHash: listing.orderHash, counter: 0n, parameters: filling.parameters };
		const { signature } = filling;
		const [order] = fulfilment.orders;
		expect(isSameOrder(listing.protocolData, as)).toBe(true);
		expect(isSameOrder(null, as)).toBe(false);
		expect(isSameOrder(listing.protocolData, { ...as, counter: 1n })).toBe(false);
		expect(areSameOrders([], { ...as, signature })).toBe(true);
		expect(areSameOrders([order], { ...as, signature })).toBe(true);
		expect(areSameOrders([order], { ...as, signature: "0x00" })).toBe(false);
		expect(areSameOrders([order, order], { ...as, signature })).toBe(false);
		expect(areSameOrders([{}], { ...as, signature })).toBe(false);
	});

	test("a listing that its order book data exclude is refused before any call", () => {
		const code = (changes: object) =>
			listingDenial({ ...filled.listing, ...changes }, filled.wanted)?.code ?? null;
		expect(code({})).toBeNull();
		for (const changes of [
			{ side: "offer" },
			{ kind: "item_offer" },
			{ chainId: 1 },
			{ protocolAddress: NFT },
			{ protocolAddress: null },
			{ contract: WALLET },
			{ tokenId: 8n },
			{ tokenId: null },
			{ orderHash: "0x12" },
			{ maker: "0x" },
		]) {
			expect({ changes, code: code(changes) }).toEqual({ changes, code: "listing_mismatch" });
		}
		expect(code({ isActive: false })).toBe("listing_gone");
		expect(code({ expiresAtMs: NOW_MS })).toBe("listing_gone");
		expect(code({ startsAtMs: NOW_MS + 1 })).toBe("listing_gone");
		expect(code({ isPrivate: true })).toBe("listing_private");
		expect(code({ maker: WALLET })).toBe("listing_own");
		expect(code({ quantity: 0n })).toBe("liquidity_insufficient");
		expect(code({ currency: null })).toBe("listing_unsupported");
	});

	test("a listing that the chain's state ended is refused", () => {
		const code = (changes: object, counter: bigint | null = 0n) =>
			stateDenial({ ...open, ...changes }, counter)?.code ?? null;
		expect([code({}), code({}, null), code({ totalFilled: 1n, totalSize: 2n })]).toEqual([
			null,
			null,
			null,
		]);
		expect(code({ isCancelled: true })).toBe("listing_gone");
		expect(code({ totalFilled: 2n, totalSize: 2n })).toBe("listing_gone");
		expect(code({ counter: 5n })).toBe("listing_gone");
	});

	test("the first check that fails gives the reason", () => {
		expect(firstDenial([[true, "a", "A"]])).toBeNull();
		const failed = firstDenial([
			[true, "a", "A"],
			[false, "b", "B"],
			[false, "c", "C"],
		]);
		expect(failed).toEqual({ code: "b", detail: "B" });
	});
});

describe("paymentOf", () => {
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

	test("a price is the sum of all signed amounts, fees included", () => {
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

	test("a price that cannot be checked completely is refused", () => {
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

	test("a part of zero, above the whole, or that does not divide evenly is refused", () => {
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

	test("the parts sum to the total, and never exceed the signed amounts", () => {
		const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), {
			minLength: 1,
			maxLength: 8,
		});
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
});
