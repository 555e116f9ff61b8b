import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { seaportChecks } from "#test/harness/seaportOrder.ts";

// Guarantee: what the index calls a sale is what the chain did, fill by fill, on real Seaport 1.6.

const NATIVE: Hex = "0x0000000000000000000000000000000000000000";
let anvil: Anvil;
let chain: SeaportChain;
let salesOf: ReturnType<typeof seaportChecks>["salesOf"];
let expectPaid: ReturnType<typeof seaportChecks>["expectPaid"];
let seller: Hex;
let buyer: Hex;
let relayer: Hex;
let fees: Hex;
let friend: Hex;
let coin: Hex;

beforeAll(async () => {
	anvil = await startAnvil();
	chain = await deploySeaport(anvil);
	({ salesOf, expectPaid } = seaportChecks(chain));
	[, seller = NATIVE, buyer = NATIVE, relayer = NATIVE, fees = NATIVE, friend = NATIVE] =
		chain.accounts;
	coin = chain.tokens.coin;
});
afterAll(() => anvil?.stop());

const accepted = { accepted: true, reason: null } as const;

async function listing(price: bigint) {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(id)],
		consideration: [
			chain.to(seller, chain.native(price - price / 10n)),
			chain.to(fees, chain.native(price / 10n)),
		],
	});
	return { id, order };
}

async function bid(id: bigint, price: bigint, fee = 0n) {
	return await chain.sign({
		offerer: buyer,
		offer: [chain.coin(price)],
		consideration: [
			chain.to(buyer, chain.nft(id)),
			...(fee > 0n ? [chain.to(fees, chain.coin(fee))] : []),
		],
	});
}

describe("one order, one taker", () => {
	test("[ING-12] a listing filled as a basic order costs its price with fees", async () => {
		const { id, order } = await listing(1_000n);
		const receipt = await chain.fulfillBasicOrder(order, { from: buyer, value: 1_000n });
		const sales = await salesOf(receipt, [
			{ tokenId: id, seller, buyer, totalRaw: 1_000n, currency: NATIVE, quantity: 1n, ...accepted },
		]);
		await expectPaid(receipt, buyer, NATIVE, sales);
	});

	test("[ING-12] a listing filled by fulfillOrder costs the same", async () => {
		const { id, order } = await listing(1_000n);
		const receipt = await chain.fulfillOrder(order, { from: buyer, value: 1_000n });
		await salesOf(receipt, [{ tokenId: id, seller, buyer, totalRaw: 1_000n, ...accepted }]);
	});

	test("[ING-12] the buyer is the recipient, not the account that paid for it", async () => {
		const { id, order } = await listing(1_000n);
		const receipt = await chain.fulfillAdvancedOrder(
			{ order },
			{ from: relayer, value: 1_000n, recipient: friend },
		);
		const sales = await salesOf(receipt, [{ tokenId: id, seller, buyer: friend, ...accepted }]);
		await expectPaid(receipt, relayer, NATIVE, sales);
	});

	test("[ING-12] a tip that the taker adds is part of the price", async () => {
		const first = await listing(1_000n);
		const tipped = await chain.fulfillOrder(first.order, {
			from: buyer,
			value: 1_070n,
			tips: [chain.to(friend, chain.native(70n))],
		});
		await expectPaid(
			tipped,
			buyer,
			NATIVE,
			await salesOf(tipped, [{ tokenId: first.id, totalRaw: 1_070n, ...accepted }]),
		);
		const second = await listing(1_000n);
		const basic = await chain.fulfillBasicOrder(second.order, {
			from: buyer,
			value: 1_030n,
			tips: [{ amount: 30n, recipient: friend }],
		});
		await salesOf(basic, [{ tokenId: second.id, totalRaw: 1_030n, ...accepted }]);
	});

	test("[ING-12] an ERC-20 listing is priced in its token", async () => {
		const id = await chain.mintNft(seller);
		const order = await chain.sign({
			offerer: seller,
			offer: [chain.nft(id)],
			consideration: [chain.to(seller, chain.coin(900n)), chain.to(fees, chain.coin(100n))],
		});
		const receipt = await chain.fulfillBasicOrder(order, { from: buyer });
		const sales = await salesOf(receipt, [
			{ tokenId: id, seller, buyer, totalRaw: 1_000n, currency: coin, ...accepted },
		]);
		await expectPaid(receipt, buyer, coin, sales);
	});

	test("[ING-12] an accepted offer has its maker as buyer, in a basic order", async () => {
		const id = await chain.mintNft(seller);
		const receipt = await chain.fulfillBasicOrder(await bid(id, 500n, 25n), {
			from: seller,
		});
		const sales = await salesOf(receipt, [
			{ tokenId: id, seller, buyer, totalRaw: 500n, currency: coin, ...accepted },
		]);
		await expectPaid(receipt, buyer, coin, sales);
	});

	test("[ING-12] an accepted collection offer names the NFT that was chosen", async () => {
		const id = await chain.mintNft(seller);
		const order = await chain.sign({
			offerer: buyer,
			offer: [chain.coin(500n)],
			consideration: [chain.to(buyer, chain.anyNft()), chain.to(fees, chain.coin(25n))],
		});
		const receipt = await chain.fulfillAdvancedOrder(
			{ order },
			{
				from: seller,
				resolvers: [{ orderIndex: 0n, side: 1, index: 0n, identifier: id, criteriaProof: [] }],
			},
		);
		const sales = await salesOf(receipt, [
			{ tokenId: id, seller, buyer, totalRaw: 500n, currency: coin, ...accepted },
		]);
		await expectPaid(receipt, buyer, coin, sales);
	});

	test("[ING-12] an accepted offer filled as an advanced order gives the same sale", async () => {
		const id = await chain.mintNft(seller);
		const receipt = await chain.fulfillAdvancedOrder(
			{ order: await bid(id, 500n, 25n) },
			{ from: seller },
		);
		await salesOf(receipt, [{ tokenId: id, seller, buyer, totalRaw: 500n, ...accepted }]);
	});

	test("[ING-12] an offer that sends the NFT to somebody else names who received it", async () => {
		const id = await chain.mintNft(seller);
		const order = await chain.sign({
			offerer: buyer,
			offer: [chain.coin(500n)],
			consideration: [chain.to(friend, chain.nft(id))],
		});
		const receipt = await chain.fulfillOrder(order, { from: seller });
		const sales = await salesOf(receipt, [{ tokenId: id, seller, buyer: friend, ...accepted }]);
		await expectPaid(receipt, buyer, coin, sales);
	});

	test("[ING-12] a sweep of three gives three sales at their own prices", async () => {
		const lots = [await listing(1_000n), await listing(2_000n), await listing(3_000n)];
		const receipt = await chain.fulfillAvailableAdvancedOrders(
			lots.map(({ order }) => ({ order })),
			{ from: relayer, value: 6_000n, recipient: buyer },
		);
		const sales = await salesOf(
			receipt,
			lots.map(({ id }, index) => ({
				tokenId: id,
				seller,
				buyer,
				totalRaw: BigInt(index + 1) * 1_000n,
				...accepted,
			})),
		);
		await expectPaid(receipt, relayer, NATIVE, sales);
	});

	test("[ING-12] a bundle is split by unit, and its first row gets the remainder", async () => {
		const ids = [];
		for (let count = 0; count < 3; count++) ids.push(await chain.mintNft(seller));
		const order = await chain.sign({
			offerer: seller,
			offer: ids.map((id) => chain.nft(id)),
			consideration: [chain.to(seller, chain.native(1_000n))],
		});
		const receipt = await chain.fulfillOrder(order, { from: buyer, value: 1_000n });
		const sales = await salesOf(
			receipt,
			ids.map((tokenId, index) => ({
				tokenId,
				subIndex: index,
				totalRaw: index === 0 ? 334n : 333n,
				...accepted,
			})),
		);
		await expectPaid(receipt, buyer, NATIVE, sales);
	});

	test("[ING-12] five ERC-1155 units are one sale of five", async () => {
		const id = await chain.mintMulti(seller, 5n);
		const order = await chain.sign({
			offerer: seller,
			offer: [chain.multi(id, 5n)],
			consideration: [chain.to(seller, chain.native(1_000n))],
		});
		const receipt = await chain.fulfillBasicOrder(order, { from: buyer, value: 1_000n });
		const sales = await salesOf(receipt, [
			{ tokenId: id, standard: "erc1155", quantity: 5n, totalRaw: 1_000n, ...accepted },
		]);
		await expectPaid(receipt, buyer, NATIVE, sales);
	});

	test("[ING-12] an order filled in parts gives a sale for each part", async () => {
		const id = await chain.mintMulti(seller, 5n);
		const order = await chain.sign({
			offerer: seller,
			offer: [chain.multi(id, 5n)],
			consideration: [chain.to(seller, chain.native(1_000n))],
			orderType: 1,
		});
		const part = { order, numerator: 2n, denominator: 5n };
		const expected = { tokenId: id, quantity: 2n, totalRaw: 400n, ...accepted };
		for (let count = 0; count < 2; count++) {
			const receipt = await chain.fulfillAdvancedOrder(part, { from: buyer, value: 400n });
			await expectPaid(receipt, buyer, NATIVE, await salesOf(receipt, [expected]));
		}
	});

	test("[ING-12] two parts of one order in one transaction are two sales", async () => {
		const id = await chain.mintMulti(seller, 5n);
		const order = await chain.sign({
			offerer: seller,
			offer: [chain.multi(id, 5n)],
			consideration: [chain.to(seller, chain.coin(1_000n))],
			orderType: 1,
		});
		const part = { order, numerator: 2n, denominator: 5n };
		const receipt = await chain.fulfillAvailableAdvancedOrders([part, part], { from: buyer });
		const expected = { tokenId: id, quantity: 2n, totalRaw: 400n, seller, buyer, ...accepted };
		await expectPaid(receipt, buyer, coin, await salesOf(receipt, [expected, expected]));
	});
});

describe("sales that are not counted", () => {
	test("[ING-12] a gift is kept with price zero, and not accepted", async () => {
		const id = await chain.mintNft(seller);
		const order = await chain.sign({
			offerer: seller,
			offer: [chain.nft(id)],
			consideration: [],
		});
		const receipt = await chain.fulfillOrder(order, { from: buyer });
		await salesOf(receipt, [
			{ tokenId: id, totalRaw: 0n, currency: NATIVE, accepted: false, reason: "zero_price" },
		]);
	});

	test("[ING-12] a sale to oneself is not accepted", async () => {
		const { id, order } = await listing(1_000n);
		const receipt = await chain.fulfillOrder(order, { from: seller, value: 1_000n });
		await salesOf(receipt, [
			{ tokenId: id, seller, buyer: seller, accepted: false, reason: "self_trade" },
		]);
	});

	test("[ING-12] several currencies give no price", async () => {
		const id = await chain.mintNft(seller);
		const order = await chain.sign({
			offerer: seller,
			offer: [chain.nft(id)],
			consideration: [chain.to(seller, chain.native(5n)), chain.to(seller, chain.coin(1n))],
		});
		const receipt = await chain.fulfillOrder(order, { from: buyer, value: 5n });
		await salesOf(receipt, [
			{
				tokenId: id,
				seller,
				buyer,
				totalRaw: null,
				currency: null,
				accepted: false,
				reason: "several_currencies",
			},
		]);
	});

	test("[ING-12] a swap of NFT for NFT has no price, with or without additional money", async () => {
		for (const onTop of [0n, 50n]) {
			const given = await chain.mintNft(seller);
			const asked = await chain.mintNft(buyer);
			const order = await chain.sign({
				offerer: seller,
				offer: [chain.nft(given)],
				consideration: [
					chain.to(seller, chain.nft(asked)),
					...(onTop > 0n ? [chain.to(seller, chain.native(onTop))] : []),
				],
			});
			const receipt = await chain.fulfillOrder(order, { from: buyer, value: onTop });
			await salesOf(receipt, [
				{ tokenId: given, seller, buyer, totalRaw: null, accepted: false, reason: "swap" },
			]);
		}
	});
});
