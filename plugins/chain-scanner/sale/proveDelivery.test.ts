import { expect, test } from "bun:test";
import { padHex } from "viem";
import type { Sale } from "#plugins/chain-scanner/contract.ts";
import { proveDelivery } from "#plugins/chain-scanner/sale/proveDelivery.ts";
import { aSale } from "#plugins/chain-scanner/sale/testing/aSale.ts";
import type { TokenMove } from "#plugins/chain-scanner/sale/tokenMoves.ts";

const { contract, seller: from, buyer: to } = aSale();
const other = padHex("0x0e", { size: 20 });
const move = (changes: Partial<TokenMove> = {}): TokenMove => {
	return { contract, standard: "erc721", tokenId: 8n, quantity: 1n, from, to, ...changes };
};
const reasons = (sales: Partial<Sale>[], moves: TokenMove[]) =>
	proveDelivery(
		sales.map((changes) => ({ sale: aSale(changes) })),
		moves,
	).map(({ sale }) => (sale.accepted ? "accepted" : sale.reason));

test("a sale whose token reached the buyer is accepted, whoever else held it in between", () => {
	expect(reasons([{}], [move()])).toEqual(["accepted"]);
	expect(reasons([{}], [move({ to: other }), move({ from: other })])).toEqual(["accepted"]);
	expect(reasons([{}], [move(), move({ from: to, to: other })])).toEqual(["accepted"]);
});

test("[ING-12] one that never did is not: nothing moved, or another token, or to others", () => {
	const wrong = [
		[],
		[move({ to: other })],
		[move({ tokenId: 9n })],
		[move({ contract: other })],
		[move({ quantity: 0n })],
	];
	for (const moves of wrong) expect(reasons([{}], moves)).toEqual(["not_delivered"]);
});

test("units count: one delivery does not stand for two sales, and too few are none", () => {
	const two = { quantity: 2n, standard: "erc1155" } as const;
	expect(reasons([two], [move({ quantity: 1n })])).toEqual(["not_delivered"]);
	expect(reasons([two], [move(), move()])).toEqual(["accepted"]);
	expect(reasons([{ logIndex: 1 }, { logIndex: 2 }], [move()])).toEqual([
		"accepted",
		"not_delivered",
	]);
	expect(reasons([{}, {}], [move(), move({ from: to, to: from }), move()])).toEqual([
		"accepted",
		"accepted",
	]);
});

test("what was not accepted keeps its own reason", () => {
	const free = { accepted: false, reason: "zero_price" } as const;
	expect(reasons([free, {}], [move()])).toEqual(["zero_price", "accepted"]);
	expect(reasons([free], [])).toEqual(["zero_price"]);
});
