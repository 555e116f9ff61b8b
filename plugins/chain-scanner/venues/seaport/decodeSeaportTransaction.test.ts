import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Hex, numberToHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { decodeSeaportTransaction } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";
import { type LoggedItem, type LoggedOrder, seaportLogs } from "#test/harness/seaportOrder.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { cpuTimer } from "#test/harness/until.ts";

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const who = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [seller, buyer, relayer, fees, other] = [who("a"), who("b"), who("c"), who("f"), who("d")];
const token = who("7");
const weth = who("e");
const native = (amount: bigint): LoggedItem => ({
	itemType: 0,
	token: ZERO,
	identifier: 0n,
	amount,
});
const coin = (amount: bigint, of: Hex = weth): LoggedItem => ({
	itemType: 1,
	token: of,
	identifier: 0n,
	amount,
});
const nft = (identifier: bigint): LoggedItem => ({ itemType: 2, token, identifier, amount: 1n });
const multi = (amount: bigint): LoggedItem => ({ itemType: 3, token, identifier: 9n, amount });
const to = (recipient: Hex, item: LoggedItem) => ({ ...item, recipient });
let hashes = 0;
const order = (parts: Pick<LoggedOrder, "offerer" | "recipient"> & Partial<LoggedOrder>) => ({
	orderHash: numberToHex(++hashes, { size: 32 }),
	zone: ZERO,
	offer: [],
	consideration: [],
	...parts,
});
const transaction = (orders: LoggedOrder[], matched?: Hex[], address?: Hex) => {
	const place = (logIndex: number) => ({ logIndex, ...(address && { address }) });
	const logs = orders.map((one, index) => seaportLogs.fulfilled(one, place(10 + index)));
	if (matched) logs.push(seaportLogs.matched(matched, place(10 + orders.length)));
	return logs;
};
const match = (orders: LoggedOrder[]) =>
	decodeSeaportTransaction(
		transaction(
			orders,
			orders.map(({ orderHash }) => orderHash),
		),
	);
const match11 = (orders: LoggedOrder[]) =>
	decodeSeaportTransaction(
		transaction(
			orders.map((one) => ({ ...one, recipient: ZERO })),
			undefined,
			seaportLogs.v11,
		),
	);
const list = (recipient: Hex, price: bigint, id = 1n, by = seller) =>
	order({
		offerer: by,
		recipient,
		offer: [nft(id)],
		consideration: [to(by, coin(price))],
	});
const bidFor = (recipient: Hex, price: bigint, id = 1n, by = buyer) =>
	order({ offerer: by, recipient, offer: [coin(price)], consideration: [to(by, nft(id))] });

const DATA = join(import.meta.dir, "../../../../../shared/data/seaport-logs.json");
const testWithLogs = skipWithReason(existsSync(DATA) ? null : `real logs are not at ${DATA}`);

describe("real logs", () => {
	type Derived = {
		seller: Hex;
		buyer: Hex;
		payment_token?: Hex;
		gross: string;
		nfts: { token: Hex; identifier: string; amount: string }[];
	};
	type Group = {
		name: string;
		logs: (Partial<RawLog> & {
			decoded?: { shape: string; offerer: Hex; recipient: Hex; derived?: Derived };
		})[];
	};

	testWithLogs("[ING-12] every real transaction gives the sales that its logs mean", () => {
		const { groups } = JSON.parse(readFileSync(DATA, "utf8")) as { groups: Group[] };
		expect(groups.length).toBeGreaterThan(0);
		for (const group of groups) {
			const logs = group.logs.map((log, index) =>
				seaportLogs.log({
					address: log.address ?? seaportLogs.v16,
					topics: [...(log.topics ?? [])],
					data: log.data ?? "0x",
					logIndex: index,
				}),
			);
			const reading = decodeSeaportTransaction(logs);
			expect(reading.undecoded).toEqual([]);
			const expected = group.logs.flatMap(({ decoded }, logIndex) => {
				const isMirror =
					!decoded?.derived ||
					(decoded.shape === "listing_filled" && decoded.offerer === decoded.recipient);
				if (isMirror || !decoded?.derived) return [];
				const { nfts, seller, buyer, gross, payment_token } = decoded.derived;
				return nfts.map((item) => ({
					logIndex,
					contract: item.token,
					tokenId: BigInt(item.identifier),
					quantity: BigInt(item.amount),
					seller,
					buyer,
					totalRaw: BigInt(gross),
					currency: payment_token ?? ZERO,
					accepted: true,
				}));
			});
			expect(reading.sales.length).toBe(expected.length);
			for (const [index, sale] of reading.sales.entries()) {
				expect(sale).toMatchObject(expected[index] ?? {});
			}
		}
	});
});

describe("matched orders", () => {
	test("[ING-12] two matched orders are one sale, whoever relays them and in any order", () => {
		const price = fc.bigInt({ min: 1n, max: 10n ** 30n });
		fc.assert(
			fc.property(
				fc.constantFrom(relayer, other, fees),
				price,
				price,
				fc.boolean(),
				fc.boolean(),
				(caller, ask, spread, bidFirst, isOld) => {
					const orders = [list(caller, ask), bidFor(caller, ask + spread)];
					if (bidFirst) orders.reverse();
					const { sales } = isOld ? match11(orders) : match(orders);
					expect(sales).toHaveLength(1);
					// In 1.1 the bidder kept what the listing did not take.
					const totalRaw = isOld ? ask : ask + spread;
					expect(sales[0]).toMatchObject({
						seller,
						buyer,
						totalRaw,
						currency: weth,
						accepted: true,
					});
				},
			),
		);
	});

	test("[ING-12] Seaport 1.1 logs no OrdersMatched; fulfilments with a zero recipient are one match", () => {
		const { sales, undecoded } = match11([
			list(ZERO, 900n),
			bidFor(ZERO, 1_000n),
			order({
				offerer: other,
				recipient: ZERO,
				offer: [nft(2n)],
				consideration: [to(other, native(70n)), to(fees, native(5n)), to(buyer, nft(2n))],
			}),
			order({ offerer: buyer, recipient: ZERO, offer: [native(75n)] }),
		]);
		expect(undecoded).toEqual([]);
		expect(sales).toMatchObject([
			// The bidder offered 1,000; in 1.1 what the listing does not take stays where it was.
			{ tokenId: 1n, seller, buyer, totalRaw: 900n, currency: weth, accepted: true },
			{ tokenId: 2n, seller: other, buyer, totalRaw: 75n, currency: ZERO, accepted: true },
		]);
	});

	test("[ING-12] in Seaport 1.1 a listing matched with a payment order is sold to the payer", () => {
		const { sales } = match11([
			list(ZERO, 900n),
			order({ offerer: buyer, recipient: ZERO, offer: [coin(900n)] }),
		]);
		expect(sales).toMatchObject([{ seller, buyer, totalRaw: 900n, accepted: true }]);
	});

	test("[ING-12] in Seaport 1.1 units of an order that no other order asks for are not sold", () => {
		const { sales } = match11([
			order({
				offerer: seller,
				recipient: ZERO,
				offer: [multi(5n)],
				consideration: [to(seller, coin(30n))],
			}),
			order({
				offerer: buyer,
				recipient: ZERO,
				offer: [coin(30n)],
				consideration: [to(buyer, multi(3n))],
			}),
		]);
		expect(sales).toMatchObject([{ quantity: 3n, totalRaw: 30n, buyer }]);
	});

	test("[ING-12] OrdersMatched takes the latest orders of its hashes; the others are single fills", () => {
		const ask = order({
			offerer: seller,
			recipient: other,
			offer: [multi(2n)],
			consideration: [to(seller, coin(20n))],
		});
		const matchedAsk = { ...ask, recipient: relayer };
		const bid = order({
			offerer: buyer,
			recipient: relayer,
			offer: [coin(26n)],
			consideration: [to(buyer, multi(2n))],
		});
		const logs = transaction([ask, matchedAsk, bid], [matchedAsk.orderHash, bid.orderHash]);
		expect(decodeSeaportTransaction(logs).sales).toMatchObject([
			{ logIndex: 10, quantity: 2n, buyer: other, totalRaw: 20n },
			{ logIndex: 11, quantity: 2n, buyer, totalRaw: 26n },
		]);
	});

	test("[ING-12] orders of two match calls in one transaction are not mixed", () => {
		const first = [list(relayer, 900n), bidFor(relayer, 1_000n)];
		const second = [list(relayer, 1_500n, 1n, buyer), bidFor(relayer, 1_600n, 1n, other)];
		const place = (logIndex: number) => ({ logIndex });
		const logs = [first, second].flatMap((orders, call) => [
			...orders.map((one, index) => seaportLogs.fulfilled(one, place(call * 10 + index))),
			seaportLogs.matched(
				orders.map(({ orderHash }) => orderHash),
				place(call * 10 + 5),
			),
		]);
		expect(decodeSeaportTransaction(logs.reverse()).sales).toMatchObject([
			{ logIndex: 0, seller, buyer, totalRaw: 1_000n },
			{ logIndex: 10, seller: buyer, buyer: other, totalRaw: 1_600n },
		]);
	});

	test("[ING-12] a free NFT beside a paid one does not take its payment", () => {
		const { sales } = match([
			order({
				offerer: seller,
				recipient: buyer,
				offer: [nft(1n)],
				consideration: [to(buyer, nft(1n))],
			}),
			order({
				offerer: other,
				recipient: buyer,
				offer: [nft(2n)],
				consideration: [to(other, native(50n)), to(buyer, nft(2n))],
			}),
			order({ offerer: buyer, recipient: buyer, offer: [native(50n)] }),
		]);
		expect(sales.map(({ tokenId, reason }) => [tokenId, reason])).toEqual([
			[1n, "zero_price"],
			[2n, null],
		]);
		expect(sales[1]?.totalRaw).toBe(50n);
	});

	test("[ING-12] a bid for several NFTs splits by unit and sums to what it paid", () => {
		fc.assert(
			fc.property(
				fc.bigInt({ min: 1n, max: 10n ** 24n }),
				fc.integer({ min: 1, max: 8 }),
				(price, count) => {
					const ids = Array.from({ length: count }, (_, index) => BigInt(index + 1));
					const { sales } = match([
						...ids.map((id) => list(relayer, 0n, id, id % 2n === 0n ? seller : other)),
						order({
							offerer: buyer,
							recipient: relayer,
							offer: [coin(price)],
							consideration: ids.map((id) => to(buyer, nft(id))),
						}),
					]);
					expect(sales).toHaveLength(count);
					expect(sales.reduce((sum, { totalRaw }) => sum + (totalRaw ?? 0n), 0n)).toBe(price);
				},
			),
		);
	});

	test("[ING-12] a match with a missing order gives no sale", () => {
		const listing = list(relayer, 900n);
		const bid = bidFor(relayer, 1_000n);
		const missing = decodeSeaportTransaction(
			transaction([listing], [listing.orderHash, bid.orderHash]),
		);
		expect(missing.sales).toEqual([]);
		expect(missing.undecoded.map(({ logIndex }) => logIndex)).toEqual([11, 10]);

		const [whole, broken, matched] = transaction(
			[listing, bid],
			[listing.orderHash, bid.orderHash],
		);
		if (!whole || !broken || !matched) throw new Error("three logs were made");
		const damaged = { ...broken, data: broken.data.slice(0, 400) as Hex };
		const reading = decodeSeaportTransaction([whole, damaged, matched]);
		expect(reading.sales).toEqual([]);
		expect(reading.undecoded).toHaveLength(3);
	});
});

describe("single fills", () => {
	const single = (parts: Parameters<typeof order>[0]) =>
		decodeSeaportTransaction(transaction([order(parts)])).sales;

	test("[ING-12] an accepted offer has the price that its maker offered, without added fees", () => {
		const sales = single({
			offerer: buyer,
			recipient: seller,
			offer: [coin(100n)],
			consideration: [to(buyer, nft(1n)), to(fees, coin(5n))],
		});
		expect(sales).toMatchObject([
			{ seller, buyer, totalRaw: 100n, currency: weth, accepted: true },
		]);
	});

	test("[ING-12] a native coin and its wrapped token are two currencies", () => {
		const sales = single({
			offerer: seller,
			recipient: buyer,
			offer: [nft(1n)],
			consideration: [to(seller, native(1n)), to(seller, coin(1n))],
		});
		expect(sales).toMatchObject([{ totalRaw: null, currency: null, reason: "several_currencies" }]);
	});

	test("[ING-12] a tip in another currency leaves the sale its price, and is named", () => {
		const listing = { offerer: seller, recipient: buyer, offer: [nft(1n)] };
		const [tipped, ...others] = single({
			...listing,
			consideration: [to(seller, native(90n)), to(fees, native(10n)), to(fees, coin(1n))],
		});
		expect(others).toEqual([]);
		expect(tipped).toMatchObject({ totalRaw: 100n, currency: ZERO, accepted: true, reason: null });
		expect(tipped?.tips).toEqual([{ currency: weth, raw: 1n }]);
		// Whom the seller named to be paid in its place is not known to be the seller.
		expect(
			single({ ...listing, consideration: [to(fees, native(90n)), to(buyer, coin(1n))] }),
		).toMatchObject([{ totalRaw: null, reason: "several_currencies" }]);
		expect(single({ ...listing, consideration: [to(seller, native(90n))] })[0]).not.toHaveProperty(
			"tips",
		);
	});

	test("[ING-12] an item with amount zero has no effect", () => {
		const sales = single({
			offerer: seller,
			recipient: buyer,
			offer: [nft(1n), coin(0n), { ...nft(2n), amount: 0n }],
			consideration: [to(seller, native(8n)), to(fees, coin(0n))],
		});
		expect(sales).toMatchObject([{ tokenId: 1n, totalRaw: 8n, currency: ZERO, accepted: true }]);
		expect(sales).toHaveLength(1);
	});

	test("[ING-12] an order that offers an NFT together with money has no price", () => {
		const sales = single({
			offerer: seller,
			recipient: buyer,
			offer: [nft(1n), coin(5n)],
			consideration: [to(seller, native(8n))],
		});
		expect(sales).toMatchObject([{ reason: "swap", totalRaw: null, accepted: false }]);
	});

	test("[ING-12] an amount that returns to the buyer does not lower the listed price", () => {
		const sales = single({
			offerer: seller,
			recipient: buyer,
			offer: [nft(1n)],
			consideration: [to(seller, native(90n)), to(buyer, native(10n))],
		});
		expect(sales).toMatchObject([{ totalRaw: 100n, buyer, accepted: true }]);
	});

	test("[ING-12] an order with money and without an NFT is no sale", () => {
		expect(single({ offerer: buyer, recipient: buyer, offer: [native(5n)] })).toEqual([]);
	});

	test("[ING-12] a bidder that accepts its own bid is a self-trader, whoever receives the NFT", () => {
		const sales = single({
			offerer: buyer,
			recipient: buyer,
			offer: [coin(5n)],
			consideration: [to(other, nft(1n))],
		});
		expect(sales).toMatchObject([{ reason: "self_trade", accepted: false, totalRaw: 5n }]);
	});

	test("[ING-12] a mirror order without OrdersMatched is dropped, and one of two self-trades is kept", () => {
		const bid = bidFor(seller, 100n);
		const mirror = list(seller, 95n);
		const sold = decodeSeaportTransaction(transaction([bid, mirror])).sales;
		expect(sold).toMatchObject([{ seller, buyer, totalRaw: 100n, accepted: true }]);
		expect(sold).toHaveLength(1);
		const wash = [list(seller, 95n), bidFor(seller, 100n, 1n, seller)];
		const washed = decodeSeaportTransaction(transaction(wash)).sales;
		expect(washed.map(({ reason }) => reason)).toEqual(["self_trade"]);
	});
});

describe("any logs", () => {
	test("[ING-02] logs of copies of Seaport and of other contracts are ignored", () => {
		const [log] = transaction([list(buyer, 5n)]);
		if (!log) throw new Error("one log was made");
		for (const address of [who("9"), ZERO]) {
			expect(decodeSeaportTransaction([{ ...log, address }])).toEqual({ sales: [], undecoded: [] });
		}
		const shouted = `0x${log.address.slice(2).toUpperCase()}` as Hex;
		expect(decodeSeaportTransaction([{ ...log, address: shouted }]).sales).toHaveLength(1);
		expect(decodeSeaportTransaction([{ ...log, topics: [] }]).sales).toEqual([]);
	});

	test("[ING-12] any set of orders gives no more money than it moved, and no position twice", () => {
		const person = fc.constantFrom(seller, buyer, relayer);
		const item = fc.oneof(
			fc.bigInt({ min: 0n, max: 20n }).map(native),
			fc.bigInt({ min: 0n, max: 20n }).map((amount) => coin(amount)),
			fc.bigInt({ min: 1n, max: 3n }).map(nft),
			fc.bigInt({ min: 0n, max: 5n }).map(multi),
		);
		const orders = fc.array(
			fc.record({
				orderHash: fc.integer({ min: 1, max: 5 }).map((id) => numberToHex(id, { size: 32 })),
				offerer: person,
				zone: fc.constant(ZERO),
				recipient: fc.oneof(person, fc.constant(ZERO)),
				offer: fc.array(item, { maxLength: 3 }),
				consideration: fc.array(
					fc.tuple(person, item).map(([recipient, received]) => to(recipient, received)),
					{ maxLength: 3 },
				),
			}),
			{ maxLength: 6 },
		);
		fc.assert(
			fc.property(orders, fc.boolean(), (drawn, matched) => {
				const drawnHashes = drawn.map(({ orderHash }) => orderHash);
				const logs = transaction(drawn, matched ? drawnHashes : undefined);
				const { sales } = decodeSeaportTransaction(logs);
				const identities = sales.map(({ logIndex, subIndex }) => `${logIndex}.${subIndex}`);
				expect(new Set(identities).size).toBe(sales.length);
				const money = drawn
					.flatMap(({ offer, consideration }) => [...offer, ...consideration])
					.reduce((sum, { itemType, amount }) => sum + (itemType < 2 ? amount : 0n), 0n);
				let told = 0n;
				for (const sale of sales) {
					expect(sale.quantity).toBeGreaterThan(0n);
					expect(sale.accepted).toBe(sale.reason === null);
					expect(sale.totalRaw === null).toBe(sale.currency === null);
					expect(sale.totalRaw ?? 0n).toBeGreaterThanOrEqual(0n);
					if (sale.accepted) expect(sale.totalRaw).toBeGreaterThan(0n);
					told += sale.totalRaw ?? 0n;
				}
				expect(told).toBeLessThanOrEqual(money);
			}),
			{ numRuns: 2_000 },
		);
	});

	test("[ING-12] a transaction with many thousands of logs is decoded within two seconds", () => {
		const lots = Array.from({ length: 3_000 }, (_, index) => [
			list(ZERO, 9n, BigInt(index)),
			bidFor(ZERO, 10n, BigInt(index)),
		]).flat();
		const logs = transaction(lots, undefined, seaportLogs.v11);
		const cpuMs = cpuTimer();
		expect(decodeSeaportTransaction(logs).sales).toHaveLength(3_000);
		expect(cpuMs()).toBeLessThan(2_000);
	});
});
