import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Hex, padHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { decodeLooksRare } from "#plugins/looksrare/plugin.ts";
import { type LoggedTrade, looksRareLogs } from "#plugins/looksrare/testing/looksRareLogs.ts";

type SavedLog = { address: Hex; topics: Hex[]; data: Hex; logIndex: number };
const saved = (file: string) =>
	JSON.parse(readFileSync(join(import.meta.dir, "testing", file), "utf8"));
const EXCHANGE = "0x0000000000e655fae4d56241588680f86e3b2377";
/** What the lane gives the venue of a receipt. */
const own = (logs: readonly SavedLog[]): RawLog[] =>
	logs
		.filter(({ address, topics }) => address.toLowerCase() === EXCHANGE && topics.length === 1)
		.map((log) => looksRareLogs.log(log));

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const who = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [seller, buyer, friend, creator, weth, token] = ["a", "b", "d", "c", "e", "7"].map(who) as [
	Hex,
	Hex,
	Hex,
	Hex,
	Hex,
	Hex,
];
const base = {
	nonceInvalidationParameters: {
		orderHash: padHex("0x1", { size: 32 }),
		orderNonce: 0n,
		isNonceInvalidated: true,
	},
	strategyId: 0n,
	collection: token,
	itemIds: [1n],
	amounts: [1n],
	feeAmounts: [930n, 50n, 20n],
} satisfies Partial<LoggedTrade>;
const listing = (trade: Partial<LoggedTrade> = {}): LoggedTrade => ({
	...base,
	taker: buyer,
	recipient: buyer,
	currency: ZERO,
	feeRecipients: [seller, creator],
	...trade,
});
const offer = (trade: Partial<LoggedTrade> = {}): LoggedTrade => ({
	...base,
	taker: seller,
	recipient: buyer,
	currency: weth,
	feeRecipients: [seller, creator],
	...trade,
});
const bought = (trade?: Partial<LoggedTrade>) =>
	decodeLooksRare([looksRareLogs.trade("TakerBid", listing(trade))]).sales;
const accepted = (trade?: Partial<LoggedTrade>) =>
	decodeLooksRare([looksRareLogs.trade("TakerAsk", offer(trade))]).sales;

describe("the published contract, run on a node", () => {
	type Seen = { contract: Hex; buyer: Hex; currency: Hex; spent: string; items: string[][] };
	const trades: { what: string; seen: Seen; logs: SavedLog[] }[] = saved("recordedTrades.json");

	for (const trade of trades) {
		test(`[ING-13] ${trade.what}: the decoded log equals the transfers on the chain`, () => {
			const { contract, buyer: to, currency, spent, items } = trade.seen;
			const { sales, undecoded } = decodeLooksRare(own(trade.logs));
			expect(undecoded).toEqual([]);
			expect(
				sales.map(({ tokenId, quantity, seller: from }) => [`${tokenId}`, `${quantity}`, from]),
			).toEqual(items as [string, string, Hex][]);
			expect(new Set(sales.map((sale) => sale.contract))).toEqual(new Set([contract]));
			expect(new Set(sales.map((sale) => sale.buyer))).toEqual(new Set([to]));
			expect(new Set(sales.map((sale) => sale.currency))).toEqual(new Set([currency]));
			// Who pays itself gets the proceeds back, so the balance shows the fee and not the price.
			const isSelf = trade.what.startsWith("one's own");
			const total = sales.reduce((sum, { totalRaw }) => sum + (totalRaw ?? 0n), 0n);
			expect(total).toBe(isSelf ? 10n ** 18n : BigInt(spent));
			const reason = isSelf ? "self_trade" : spent === "0" ? "zero_price" : null;
			for (const sale of sales) expect(sale).toMatchObject({ reason, accepted: reason === null });
		});
	}

	test("[ING-13] the token standard is derived from the units alone", () => {
		expect(trades).toHaveLength(14);
		for (const { what, logs } of trades) {
			const standard = what.includes("1155") ? "erc1155" : "erc721";
			for (const sale of decodeLooksRare(own(logs)).sales) expect(sale.standard).toBe(standard);
		}
	});
});

test("[ING-13] recorded trades of mainnet give the prices that were paid", () => {
	const receipts: { logs: SavedLog[] }[] = saved("mainnetReceipts.json");
	const sales = receipts.flatMap(({ logs }) => decodeLooksRare(own(logs)).sales);
	expect(sales).toEqual([
		{
			logIndex: 145,
			subIndex: 0,
			contract: "0xd4296688906664c2c2329d2198a8716a2b8e6661",
			standard: "erc721",
			tokenId: 1662n,
			quantity: 1n,
			totalRaw: 1_848_150_000_000_000n,
			currency: ZERO,
			seller: "0x06b6422ca906a38159cd741f965f6f4e5d058618",
			buyer: "0x60f0a4747900a24618d0864d06b10f11d89b1d8e",
			accepted: true,
			reason: null,
		},
		{
			logIndex: 715,
			subIndex: 0,
			contract: "0x306b1ea3ecdf94ab739f1910bbda052ed4a9f949",
			standard: "erc721",
			tokenId: 159n,
			quantity: 1n,
			totalRaw: 10_500_000_000_000_000n,
			currency: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
			seller: "0xe105106f401d5caa68936d595f5d96f7f07d67ac",
			buyer: "0x94e9d73a2aeec807d85756b84759965b41866450",
			sellerUnproven: true,
			accepted: true,
			reason: null,
		},
	]);
});

describe("buyer, seller and items of a sale", () => {
	test("[ING-13] a listing bought for another recipient has the lister as seller, the recipient as buyer", () => {
		expect(bought({ recipient: friend })).toMatchObject([
			{ seller, buyer: friend, totalRaw: 1_000n, currency: ZERO, accepted: true },
		]);
		expect(bought()[0]).not.toHaveProperty("sellerUnproven");
	});

	test("[ING-13] an accepted offer's seller is the taker, and marked as unproven", () => {
		expect(accepted({ feeRecipients: [friend, creator] })).toMatchObject([
			{ seller, buyer, sellerUnproven: true, totalRaw: 1_000n, currency: weth, accepted: true },
		]);
	});

	test("[ING-13] a trade with oneself is not accepted as a sale, and is not marked as unproven", () => {
		const own = { accepted: false, reason: "self_trade" } as const;
		expect(bought({ taker: seller, recipient: seller })).toMatchObject([own]);
		expect(bought({ recipient: seller })).toMatchObject([own]);
		expect(bought({ taker: seller, recipient: friend })).toMatchObject([own]);
		expect(accepted({ taker: buyer })).toMatchObject([own]);
		const backToBidder = accepted({ feeRecipients: [buyer, creator] });
		expect(backToBidder).toMatchObject([own]);
		expect(backToBidder[0]).not.toHaveProperty("sellerUnproven");
	});

	test("[ING-13] a trade at price zero is kept, but not accepted", () => {
		const free = { feeAmounts: [0n, 0n, 0n] as [bigint, bigint, bigint] };
		for (const sales of [bought(free), accepted(free)]) {
			expect(sales).toMatchObject([{ totalRaw: 0n, accepted: false, reason: "zero_price" }]);
		}
		expect(bought({ ...free, taker: seller })).toMatchObject([{ reason: "self_trade" }]);
	});

	test("[ING-13] a bundle gives one row for each item, and the rows sum to its price", () => {
		fc.assert(
			fc.property(
				fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { minLength: 1, maxLength: 20 }),
				fc.tuple(...Array(3).fill(fc.bigInt({ min: 0n, max: 10n ** 24n }))),
				(amounts, fees) => {
					const feeAmounts = fees as [bigint, bigint, bigint];
					const itemIds = amounts.map((_, index) => BigInt(index));
					const sales = bought({ itemIds, amounts, feeAmounts });
					expect(sales.map(({ subIndex }) => subIndex)).toEqual([...amounts.keys()]);
					expect(sales.map(({ quantity }) => quantity)).toEqual(amounts);
					const total = sales.reduce((sum, { totalRaw }) => sum + (totalRaw ?? 0n), 0n);
					expect(total).toBe(feeAmounts.reduce((sum, fee) => sum + fee, 0n));
				},
			),
		);
	});

	test("[ING-13] in a bundle with fewer wei than units, a row of price 0 is not accepted", () => {
		const cheap = { itemIds: [1n, 2n], amounts: [1n, 1n] };
		const feeAmounts: [bigint, bigint, bigint] = [1n, 0n, 0n];
		expect(bought({ ...cheap, feeAmounts }).map(({ reason }) => reason)).toEqual([
			null,
			"zero_price",
		]);
	});

	test("[ING-13] one item of several units makes all rows of a bundle ERC-1155", () => {
		const mixed = bought({ itemIds: [1n, 2n], amounts: [1n, 2n] });
		expect(mixed.map(({ standard }) => standard)).toEqual(["erc1155", "erc1155"]);
		expect(bought()[0]?.standard).toBe("erc721");
	});
});

test("[ING-13] a log that cannot be decoded is reported by its position, and the others are read", () => {
	const good = looksRareLogs.trade("TakerBid", listing(), 4);
	const torn = { ...looksRareLogs.trade("TakerAsk", offer(), 5), data: good.data.slice(0, 200) };
	const alien = { ...good, topics: [padHex("0x9", { size: 32 })], logIndex: "0x6" as const };
	const last = looksRareLogs.trade("TakerAsk", offer({ itemIds: [2n] }), 7);
	const reading = decodeLooksRare([good, torn as RawLog, alien, last]);
	expect(reading.sales.map(({ logIndex }) => logIndex)).toEqual([4, 7]);
	expect(reading.undecoded).toEqual([
		{ logIndex: 5, problem: "data ends inside its head" },
		{ logIndex: 6, problem: "neither TakerBid nor TakerAsk" },
	]);
});

test("[ING-13] a log with more items than a JavaScript call takes arguments is read", () => {
	const itemIds = Array.from({ length: 120_000 }, () => 1n);
	expect(bought({ itemIds, amounts: itemIds })).toHaveLength(120_000);
});
