import { afterAll, beforeAll, describe, test } from "bun:test";
import fc from "fast-check";
import { type Hex, numberToHex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { type SignedOrder, seaportChecks } from "#test/harness/seaportOrder.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";

describe("readMatch", () => {
	// Guarantee: what the index calls a sale is what the chain did, match by match, on Seaport 1.6.

	const SEED = Number(process.env.SIM_SEED ?? TEST_SEED);
	console.log(`SIM_SEED=${SEED}`);
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
	let other: Hex;
	let coin: Hex;

	beforeAll(async () => {
		anvil = await startAnvil();
		chain = await deploySeaport(anvil);
		({ salesOf, expectPaid } = seaportChecks(chain));
		[
			,
			seller = NATIVE,
			buyer = NATIVE,
			relayer = NATIVE,
			fees = NATIVE,
			friend = NATIVE,
			other = NATIVE,
		] = chain.accounts;
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

	async function bid(id: bigint, price: bigint, by: Hex = buyer) {
		return await chain.sign({
			offerer: by,
			offer: [chain.coin(price)],
			consideration: [chain.to(by, chain.nft(id))],
		});
	}

	describe("matched orders", () => {
		/** A private sale: the listing names its buyer, a mirror order brings the money. */
		async function privateSale(price: bigint, brought: bigint) {
			const id = await chain.mintNft(seller);
			const order = await chain.sign({
				offerer: seller,
				offer: [chain.nft(id)],
				consideration: [
					chain.to(seller, chain.native(price - 10n)),
					chain.to(fees, chain.native(10n)),
					chain.to(buyer, chain.nft(id)),
				],
			});
			const mirror = await chain.sign({
				offerer: buyer,
				offer: [chain.native(brought)],
				consideration: [],
			});
			return { id, order, mirror };
		}
		const privateFulfillments = [
			{ from: [[0, 0]], to: [[0, 2]] },
			{ from: [[1, 0]], to: [[0, 0]] },
			{ from: [[1, 0]], to: [[0, 1]] },
		] as { from: [number, number][]; to: [number, number][] }[];

		test("[ING-12] a private sale through a mirror order is one sale", async () => {
			const { id, order, mirror } = await privateSale(1_000n, 1_000n);
			const call = { from: buyer, value: 1_000n };
			const receipt = await chain.matchOrders([order, mirror], privateFulfillments, call);
			const sales = await salesOf(receipt, [
				{ tokenId: id, seller, buyer, totalRaw: 1_000n, currency: NATIVE, ...accepted },
			]);
			await expectPaid(receipt, buyer, NATIVE, sales);
		});

		test("[ING-12] a mirror order's excess that is returned is not part of the price", async () => {
			const { id, order, mirror } = await privateSale(1_000n, 1_500n);
			const call = { from: buyer, value: 1_500n };
			const receipt = await chain.matchOrders([order, mirror], privateFulfillments, call);
			const sales = await salesOf(receipt, [{ tokenId: id, totalRaw: 1_000n, ...accepted }]);
			await expectPaid(receipt, buyer, NATIVE, sales);
		});

		test("[ING-12] a private sale without a mirror order goes to the buyer it names", async () => {
			const { id, order } = await privateSale(1_000n, 1n);
			const receipt = await chain.fulfillAdvancedOrder({ order }, { from: buyer, value: 1_000n });
			const sales = await salesOf(receipt, [{ tokenId: id, seller, buyer, ...accepted }]);
			await expectPaid(receipt, buyer, NATIVE, sales);
		});

		/** A listing that wants ERC-20, as a relayer needs it to match it with a bid. */
		async function coinListing(price: bigint, by: Hex = seller) {
			const id = await chain.mintNft(by);
			const order = await chain.sign({
				offerer: by,
				offer: [chain.nft(id)],
				consideration: [chain.to(by, chain.coin(price))],
			});
			return { id, order };
		}
		const pairFulfillments = (listingAt: number, bidAt: number) =>
			[
				{ from: [[listingAt, 0]], to: [[bidAt, 0]] },
				{ from: [[bidAt, 0]], to: [[listingAt, 0]] },
			] as { from: [number, number][]; to: [number, number][] }[];

		test("[ING-12] a relayer that matches a listing and a bid is not a party of the sale, and keeps the spread", async () => {
			const { id, order } = await coinListing(900n);
			const receipt = await chain.matchOrders(
				[order, await bid(id, 1_000n)],
				pairFulfillments(0, 1),
				{
					from: relayer,
				},
			);
			const sales = await salesOf(receipt, [
				{ tokenId: id, seller, buyer, totalRaw: 1_000n, currency: coin, ...accepted },
			]);
			await expectPaid(receipt, buyer, coin, sales);
		});

		test("[ING-12] matchAdvancedOrders with the bid first and a recipient gives the same sale", async () => {
			const { id, order } = await coinListing(900n);
			const receipt = await chain.matchAdvancedOrders(
				[{ order: await bid(id, 1_000n) }, { order }],
				pairFulfillments(1, 0),
				{ from: relayer, recipient: friend },
			);
			const sales = await salesOf(receipt, [{ tokenId: id, seller, buyer, ...accepted }]);
			await expectPaid(receipt, buyer, coin, sales);
		});

		test("[ING-12] a bidder who matches its own bid pays the price of the listing", async () => {
			const { id, order } = await coinListing(900n);
			const receipt = await chain.matchOrders(
				[order, await bid(id, 1_000n)],
				pairFulfillments(0, 1),
				{
					from: buyer,
				},
			);
			const sales = await salesOf(receipt, [{ tokenId: id, totalRaw: 900n, ...accepted }]);
			await expectPaid(receipt, buyer, coin, sales);
		});

		test("[ING-12] a seller who matches a bid with an order of its own sells at the bid's price", async () => {
			const { id, order } = await coinListing(900n);
			const receipt = await chain.matchOrders(
				[order, await bid(id, 1_000n)],
				pairFulfillments(0, 1),
				{
					from: seller,
				},
			);
			const sales = await salesOf(receipt, [{ tokenId: id, totalRaw: 1_000n, ...accepted }]);
			await expectPaid(receipt, buyer, coin, sales);
		});

		test("[ING-12] two pairs in one match keep their own prices", async () => {
			const one = await coinListing(900n);
			const two = await coinListing(4_000n, other);
			const receipt = await chain.matchOrders(
				[one.order, two.order, await bid(two.id, 5_000n, friend), await bid(one.id, 1_000n)],
				[...pairFulfillments(0, 3), ...pairFulfillments(1, 2)],
				{ from: relayer },
			);
			const sales = await salesOf(receipt, [
				{ tokenId: one.id, seller, buyer, totalRaw: 1_000n, ...accepted },
				{ tokenId: two.id, seller: other, buyer: friend, totalRaw: 5_000n, ...accepted },
			]);
			await expectPaid(receipt, buyer, coin, sales.slice(0, 1));
			await expectPaid(receipt, friend, coin, sales.slice(1));
		});

		test("[ING-12] a bid that two sellers fill gives two sales whose prices sum to it", async () => {
			const id = await chain.mintMulti(seller, 2n);
			await chain.send({
				from: seller,
				to: chain.tokens.multi,
				// safeTransferFrom(seller, other, id, 1, "")
				data: `0xf242432a${[seller, other, numberToHex(id), "0x1", "0xa0", "0x0"]
					.map((value) => value.slice(2).padStart(64, "0"))
					.join("")}`,
			});
			const sell = (by: Hex) =>
				chain.sign({
					offerer: by,
					offer: [chain.multi(id, 1n)],
					consideration: [chain.to(by, chain.coin(400n))],
				});
			const buy = await chain.sign({
				offerer: buyer,
				offer: [chain.coin(1_001n)],
				consideration: [chain.to(buyer, chain.multi(id, 2n))],
			});
			const receipt = await chain.matchOrders(
				[await sell(seller), await sell(other), buy],
				[
					{ from: [[0, 0]], to: [[2, 0]] },
					{ from: [[1, 0]], to: [[2, 0]] },
					{ from: [[2, 0]], to: [[0, 0]] },
					{ from: [[2, 0]], to: [[1, 0]] },
				],
				{ from: relayer },
			);
			const sales = await salesOf(receipt, [
				{ tokenId: id, seller, buyer, quantity: 1n, totalRaw: 501n, ...accepted },
				{ tokenId: id, seller: other, buyer, quantity: 1n, totalRaw: 500n, ...accepted },
			]);
			await expectPaid(receipt, buyer, coin, sales);
		});

		test("[ING-12] an NFT that remains in a match goes to the match's recipient", async () => {
			const { id, order } = await listing(1_000n);
			const mirror = await chain.sign({
				offerer: buyer,
				offer: [chain.native(1_000n)],
				consideration: [],
			});
			const receipt = await chain.matchAdvancedOrders(
				[{ order }, { order: mirror }],
				[
					{ from: [[1, 0]], to: [[0, 0]] },
					{ from: [[1, 0]], to: [[0, 1]] },
				],
				{ from: buyer, value: 1_000n, recipient: friend },
			);
			const sales = await salesOf(receipt, [{ tokenId: id, seller, buyer: friend, ...accepted }]);
			await expectPaid(receipt, buyer, NATIVE, sales);
		});

		test("[ING-12] an NFT that remains and returns to its seller is not sold to the payer", async () => {
			const { id, order } = await coinListing(1_000n);
			const mirror = await chain.sign({
				offerer: buyer,
				offer: [chain.coin(1_000n)],
				consideration: [],
			});
			const receipt = await chain.matchOrders([order, mirror], [{ from: [[1, 0]], to: [[0, 0]] }], {
				from: seller,
			});
			await salesOf(receipt, [
				{ tokenId: id, buyer: seller, accepted: false, reason: "self_trade" },
			]);
		});

		test("[ING-12] a buyer's own order with price and fee pays both", async () => {
			const id = await chain.mintNft(seller);
			const order = await chain.sign({
				offerer: seller,
				offer: [chain.nft(id)],
				consideration: [chain.to(buyer, chain.nft(id))],
			});
			const payment = await chain.sign({
				offerer: buyer,
				offer: [chain.coin(1_000n)],
				consideration: [chain.to(seller, chain.coin(950n)), chain.to(fees, chain.coin(50n))],
			});
			const receipt = await chain.matchOrders(
				[order, payment],
				[
					{ from: [[0, 0]], to: [[0, 0]] },
					{ from: [[1, 0]], to: [[1, 0]] },
					{ from: [[1, 0]], to: [[1, 1]] },
				],
				{ from: relayer },
			);
			const sales = await salesOf(receipt, [{ tokenId: id, totalRaw: 1_000n, ...accepted }]);
			await expectPaid(receipt, buyer, coin, sales);
		});

		test("[ING-12] a private buyer's ERC-20 excess counts as paid unless it is returned", async () => {
			for (const [recipient, totalRaw] of [
				[friend, 1_000n],
				[buyer, 900n],
			] as const) {
				const id = await chain.mintNft(seller);
				const order = await chain.sign({
					offerer: seller,
					offer: [chain.nft(id)],
					consideration: [chain.to(seller, chain.coin(900n)), chain.to(buyer, chain.nft(id))],
				});
				const mirror = await chain.sign({
					offerer: buyer,
					offer: [chain.coin(1_000n)],
					consideration: [],
				});
				const receipt = await chain.matchAdvancedOrders(
					[{ order }, { order: mirror }],
					[
						{ from: [[0, 0]], to: [[0, 1]] },
						{ from: [[1, 0]], to: [[0, 0]] },
					],
					{ from: relayer, recipient },
				);
				const sales = await salesOf(receipt, [
					{ tokenId: id, seller, buyer, totalRaw, ...accepted },
				]);
				await expectPaid(receipt, buyer, coin, sales);
			}
		});

		test("[ING-12] two swap orders matched against each other have no price", async () => {
			const first = await chain.mintNft(seller);
			const second = await chain.mintNft(buyer);
			const give = (by: Hex, given: bigint, asked: bigint) =>
				chain.sign({
					offerer: by,
					offer: [chain.nft(given)],
					consideration: [chain.to(by, chain.nft(asked))],
				});
			const receipt = await chain.matchOrders(
				[await give(seller, first, second), await give(buyer, second, first)],
				[
					{ from: [[0, 0]], to: [[1, 0]] },
					{ from: [[1, 0]], to: [[0, 0]] },
				],
				{ from: relayer },
			);
			const swap = { totalRaw: null, currency: null, accepted: false, reason: "swap" } as const;
			await salesOf(receipt, [
				{ tokenId: first, seller, buyer, ...swap },
				{ tokenId: second, seller: buyer, buyer: seller, ...swap },
			]);
		});

		test("[ING-12] any pairs, in any order of logs and by any caller, give sales as their money moved", async () => {
			const plans = fc.sample(
				fc.record({
					pairs: fc.array(
						fc.record({
							ask: fc.bigInt({ min: 1n, max: 1_000n }),
							spread: fc.bigInt({ min: 0n, max: 500n }),
							place: fc.nat(),
						}),
						{ minLength: 1, maxLength: 4 },
					),
					caller: fc.constantFrom(1, 2, 3, 4, 5, 6),
					recipient: fc.constantFrom(0, 1, 2, 3, 4, 5, 6),
				}),
				{ numRuns: 25, seed: SEED },
			);
			for (const { pairs, caller, recipient } of plans) {
				// Bidders differ from pair to pair, so that what each of them spent can be told apart.
				const people = chain.accounts.slice(2, 6);
				const placed: { kind: "ask" | "bid"; pair: number; order: SignedOrder; place: number }[] =
					[];
				const ids: bigint[] = [];
				for (const [pair, { ask, spread, place }] of pairs.entries()) {
					const { id, order } = await coinListing(ask, pair % 2 === 0 ? seller : other);
					ids.push(id);
					placed.push({ kind: "ask", pair, order, place: place % 7 });
					const bidOrder = await bid(id, ask + spread, people[pair]);
					placed.push({ kind: "bid", pair, order: bidOrder, place: place % 5 });
				}
				placed.sort((left, right) => left.place - right.place);
				const indexOf = (kind: string, pair: number) =>
					placed.findIndex((entry) => entry.kind === kind && entry.pair === pair);
				const receipt = await chain.matchAdvancedOrders(
					placed.map(({ order }) => ({ order })),
					ids.flatMap((_, pair) => pairFulfillments(indexOf("ask", pair), indexOf("bid", pair))),
					{
						from: chain.accounts[caller] ?? NATIVE,
						recipient: chain.accounts[recipient] ?? NATIVE,
					},
				);
				const listed = placed.filter(({ kind }) => kind === "ask");
				const sales = await salesOf(
					receipt,
					listed.map(({ pair }) => ({
						tokenId: ids[pair] ?? 0n,
						seller: pair % 2 === 0 ? seller : other,
						buyer: people[pair] ?? NATIVE,
						...accepted,
					})),
				);
				const sellers = new Set(sales.map((sale) => sale.seller));
				const surplusTo = chain.accounts[recipient];
				for (const sale of sales) {
					// A bidder that also receives what others left over spent less than it paid.
					if (surplusTo === sale.buyer && sales.length > 1) continue;
					if (!sellers.has(sale.buyer)) await expectPaid(receipt, sale.buyer, coin, [sale]);
				}
			}
		});
	});
});
