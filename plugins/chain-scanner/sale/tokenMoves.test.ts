import { expect, test } from "bun:test";
import { padHex } from "viem";
import { moveLogs } from "#plugins/chain-scanner/sale/testing/moveLogs.ts";
import { tokenMoves } from "#plugins/chain-scanner/sale/tokenMoves.ts";

const address = padHex("0xabc", { size: 20 });
const from = padHex("0x5e", { size: 20 });
const to = padHex("0xb0", { size: 20 });
const place = { contract: address, from, to };
const moved = { address, from, to };

test("each form that tokens write is read, with its units", () => {
	const one = { ...place, standard: "erc721" as const, tokenId: 7n, quantity: 1n };
	expect(tokenMoves([moveLogs.erc721({ ...moved, tokenId: 7n })])).toEqual([one]);
	expect(tokenMoves([moveLogs.bare({ ...moved, tokenId: 7n })])).toEqual([one]);
	const units = { ...place, standard: "erc1155" as const };
	expect(tokenMoves([moveLogs.single({ ...moved, tokenId: 7n, units: 3n })])).toEqual([
		{ ...units, tokenId: 7n, quantity: 3n },
	]);
	expect(tokenMoves([moveLogs.batch({ ...moved, ids: [7n, 8n], units: [3n, 4n] })])).toEqual([
		{ ...units, tokenId: 7n, quantity: 3n },
		{ ...units, tokenId: 8n, quantity: 4n },
	]);
});

test("coins, other events and broken logs move no token", () => {
	const coin = moveLogs.coin({ ...moved, amount: 7n });
	const torn = { ...moveLogs.single({ ...moved, tokenId: 7n }), data: "0x12" as const };
	const short = { ...moveLogs.batch({ ...moved, ids: [1n, 2n], units: [1n] }) };
	const logs = [coin, torn, { address, topics: [], data: "0x" as const }];
	expect(tokenMoves(logs)).toEqual([]);
	// A list of units that ends too soon moves nothing of the rest.
	expect(tokenMoves([short]).map(({ quantity }) => quantity)).toEqual([1n, 0n]);
});
