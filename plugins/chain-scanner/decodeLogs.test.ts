import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Hex, padHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { decodeLogs, parseLogFile } from "#plugins/chain-scanner/decodeCommand.ts";
import { moveLogs } from "#plugins/chain-scanner/sale/testing/moveLogs.ts";
import { seaportAdapters } from "#plugins/chain-scanner/venues/seaport/readLogs.ts";
import { seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";
import { type LoggedOrder, seaportLogs } from "#test/harness/seaportOrder.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const nobody = padHex("0x0", { size: 20 });
const seller = padHex("0x5e", { size: 20 });
const buyer = padHex("0xb0", { size: 20 });
const relayer = padHex("0x4e", { size: 20 });
const nft = padHex("0xaa", { size: 20 });
const weth = padHex("0x33", { size: 20 });

const token = { itemType: 2, token: nft, identifier: 7n, amount: 1n };
const paid = { itemType: 1, token: weth, identifier: 0n, amount: 100n };
const order = (changes: Partial<LoggedOrder>, id = "0x1" as Hex): LoggedOrder => ({
	orderHash: padHex(id, { size: 32 }),
	offerer: seller,
	zone: nobody,
	recipient: buyer,
	offer: [token],
	consideration: [{ ...paid, recipient: seller }],
	...changes,
});
const listing = order({});
/** The buyer's half of a match, called by `recipient`. */
const mirror = (recipient: Hex) =>
	order(
		{
			offerer: buyer,
			recipient,
			offer: [paid],
			consideration: [{ ...token, recipient: buyer }],
		},
		"0x2",
	);
const payment = (recipient: Hex) =>
	order({ offerer: buyer, recipient, offer: [paid], consideration: [] }, "0x2");
const fulfilled = (one: LoggedOrder, logIndex = 0, address?: Hex) =>
	seaportLogs.fulfilled(one, { logIndex, ...(address && { address }) });
const in11 = (one: LoggedOrder, logIndex = 0) =>
	fulfilled({ ...one, recipient: nobody }, logIndex, seaportLogs.v11);
const asLog = (log: { address: Hex; topics: Hex[]; data: Hex }, logIndex: number) =>
	seaportLogs.log({ ...log, logIndex });
const decode = (logs: RawLog[]) => decodeLogs(logs, [seaportVenue]);
const moved = { address: nft, from: seller, to: buyer };

describe("sales checked against the tokens' transfer logs", () => {
	test("[ING-12] a listing that was paid but not delivered is not accepted", () => {
		const elsewhere = asLog(moveLogs.erc721({ ...moved, to: relayer, tokenId: 7n }), 1);
		const coins = asLog(moveLogs.coin({ ...moved, address: weth, amount: 100n }), 1);
		for (const other of [elsewhere, coins]) {
			const { sales } = decode([fulfilled(listing), other]);
			expect(sales.map(({ sale }) => sale.reason)).toEqual(["not_delivered"]);
		}
		const delivered = asLog(moveLogs.erc721({ ...moved, tokenId: 7n }), 1);
		expect(decode([fulfilled(listing), delivered]).sales[0]?.sale.accepted).toBe(true);
		// Without any log of a token there is nothing to hold it against, unless that is all there is.
		expect(decode([fulfilled(listing)]).sales[0]?.sale.accepted).toBe(true);
		const receipt = decodeLogs([fulfilled(listing)], [seaportVenue], { isReceipt: true });
		expect(receipt.sales[0]?.sale.reason).toBe("not_delivered");
	});

	test("[ING-12] an adapter is never the collection of a sale, with or without a transfer log", () => {
		const [{ adapter, token: real } = { adapter: nobody, token: nobody }] = seaportAdapters;
		const sold = order({ offer: [{ ...token, itemType: 3, token: adapter }] });
		const log = asLog(moveLogs.single({ ...moved, address: real, tokenId: 7n }), 1);
		expect(decode([fulfilled(sold), log]).sales).toMatchObject([
			{ sale: { contract: real, standard: "erc1155", accepted: true } },
		]);
		expect(decode([fulfilled(sold)]).sales).toMatchObject([
			{ sale: { contract: real, accepted: false, reason: "not_delivered" } },
		]);
	});

	test("[ING-12] a relayer's match without OrdersMatched is one sale if there are transfer logs", () => {
		const logs = [
			fulfilled(order({ recipient: relayer })),
			fulfilled(mirror(relayer), 1),
			asLog(moveLogs.erc721({ ...moved, tokenId: 7n }), 2),
		];
		const accepted = decode(logs).sales.filter(({ sale }) => sale.accepted);
		expect(accepted).toMatchObject([{ sale: { seller, buyer, logIndex: 1 } }]);
	});
});

describe("a match log without its counterpart is reported as a gap", () => {
	const gaps = (logs: RawLog[]) => {
		const { sales, undecoded, doubts } = decode(logs);
		const accepted = sales.filter(({ sale }) => sale.accepted).length;
		const at = (list: typeof undecoded) => list.map(({ logIndex }) => logIndex);
		return { accepted, undecoded: at(undecoded), doubts: at(doubts) };
	};
	test("[ING-12] either half of a match alone is reported as a gap in Seaport 1.1", () => {
		for (const half of [listing, mirror(nobody), payment(nobody)]) {
			expect(gaps([in11(half)])).toEqual({ accepted: 0, undecoded: [0], doubts: [] });
		}
		const whole = [in11(listing), in11(mirror(nobody), 1)];
		expect(gaps(whole)).toEqual({ accepted: 1, undecoded: [], doubts: [] });
		const paidFor = [in11(listing), in11(payment(nobody), 1)];
		expect(gaps(paidFor)).toEqual({ accepted: 1, undecoded: [], doubts: [] });
	});

	test("[ING-12] since Seaport 1.2 half a match with OrdersMatched, and a lone payment, is reported as a gap", () => {
		const matched = seaportLogs.matched([listing.orderHash, mirror(buyer).orderHash], {
			logIndex: 2,
		});
		expect(gaps([fulfilled(listing), matched])).toMatchObject({ accepted: 0, undecoded: [2, 0] });
		expect(gaps([fulfilled(mirror(buyer)), matched]).undecoded).toContain(2);
		expect(gaps([matched])).toEqual({ accepted: 0, undecoded: [2], doubts: [] });
		expect(gaps([fulfilled(payment(buyer))])).toEqual({
			accepted: 0,
			undecoded: [0],
			doubts: [],
		});
	});

	test("a log that is half of a match or a self-trade is a doubt, and no gap", () => {
		expect(gaps([fulfilled(mirror(buyer))])).toEqual({ accepted: 0, undecoded: [], doubts: [0] });
		// The token's own log says that it is one.
		const home = asLog(moveLogs.erc721({ ...moved, from: buyer, tokenId: 7n }), 1);
		expect(gaps([fulfilled(mirror(buyer)), home])).toMatchObject({ undecoded: [], doubts: [] });
	});
});

const DATA = join(import.meta.dir, "../../../shared/data/seaport-receipts.json");
const testWithReceipts = skipWithReason(
	existsSync(DATA) ? null : `real receipts are not at ${DATA}`,
);

type Receipts = { transactions: { hash: Hex; logs: unknown[] }[] };

testWithReceipts(
	"[ING-12] in real receipts no sale names an adapter, and only one was not delivered",
	() => {
		const { transactions } = JSON.parse(readFileSync(DATA, "utf8")) as Receipts;
		expect(transactions.length).toBeGreaterThan(0);
		const undelivered: string[] = [];
		const adapted: string[] = [];
		for (const { hash, logs } of transactions) {
			const [group] = parseLogFile(JSON.stringify([logs]), { emitterOf: () => undefined });
			if (group?.kind !== "read") throw new Error(`${hash} is malformed`);
			for (const own of group.transactions) {
				const { sales, undecoded, doubts } = decode(own);
				expect({ hash, undecoded, doubts }).toEqual({ hash, undecoded: [], doubts: [] });
				expect(sales.length).toBeGreaterThan(0);
				for (const { sale } of sales) {
					if (!sale.accepted) undelivered.push(`${hash.slice(0, 10)} ${sale.reason}`);
					if (sale.contract === seaportAdapters[0]?.token) adapted.push(hash.slice(0, 10));
					expect(sale.contract).not.toBe(seaportAdapters[0]?.adapter);
				}
			}
		}
		expect(undelivered).toEqual(["0x4c7a6647 not_delivered"]);
		expect(adapted).toEqual(["0x77057503", "0x479a2ede", "0xe63ceeab"]);
	},
);
