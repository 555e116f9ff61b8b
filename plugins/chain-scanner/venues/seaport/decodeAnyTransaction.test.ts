import { expect, test } from "bun:test";
import { type Hex, numberToHex } from "viem";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	groupFulfilments,
	type SeaportEntry,
} from "#plugins/chain-scanner/venues/seaport/decodeAnyTransaction.ts";
import type { FulfilledOrder } from "#plugins/chain-scanner/venues/seaport/readLogs.ts";

const emitter: Hex = "0x00000000000000000000000000000000000000e1";
const taker: Hex = "0x00000000000000000000000000000000000000aa";
const hash = (id: number) => numberToHex(id, { size: 32 });
const filled = (logIndex: number, id: number, recipient = taker, from = emitter): SeaportEntry => ({
	kind: "fulfilled",
	emitter: from,
	fulfilment: {
		logIndex,
		order: {
			orderHash: hash(id),
			offerer: taker,
			zone: taker,
			recipient,
			offer: [],
			consideration: [],
		},
	},
});
const matched = (logIndex: number, ids: number[], from = emitter): SeaportEntry => ({
	kind: "matched",
	emitter: from,
	logIndex,
	orderHashes: ids.map(hash),
});
const shape = (entries: SeaportEntry[]) => {
	const { matches, singles, undecoded } = groupFulfilments(entries);
	return {
		matches: matches.map(({ fulfilments }) => fulfilments.map(({ logIndex }) => logIndex)),
		complete: matches.map(({ complete }) => complete),
		singles: singles.map(({ fulfilment }) => fulfilment.logIndex),
		undecoded: undecoded.map(({ logIndex }) => logIndex),
	};
};

test("[ING-12] OrdersMatched takes the orders that come before it, not those after", () => {
	expect(
		shape([filled(1, 7), filled(2, 7), filled(3, 8), matched(4, [7, 8]), filled(5, 7)]),
	).toEqual({ matches: [[2, 3]], complete: [true], singles: [1, 5], undecoded: [] });
});

test("[ING-12] a hash that OrdersMatched names twice takes its two latest orders", () => {
	expect(shape([filled(1, 7), filled(2, 7), filled(3, 7), matched(4, [7, 7])])).toMatchObject({
		matches: [[2, 3]],
		singles: [1],
	});
});

test("[ING-12] OrdersMatched never takes orders of another Seaport contract", () => {
	const other: Hex = "0x00000000000000000000000000000000000000e2";
	expect(shape([filled(1, 7, taker, other), filled(2, 8), matched(3, [7, 8])])).toEqual({
		matches: [[2]],
		complete: [false],
		singles: [1],
		undecoded: [3],
	});
});

test("[ING-12] orders without a recipient are one match, incomplete if another order is unreadable", () => {
	const orders = [filled(1, 7, ZERO_ADDRESS), filled(2, 8, ZERO_ADDRESS), filled(3, 9)];
	expect(shape(orders)).toMatchObject({ matches: [[1, 2]], complete: [true], singles: [3] });
	expect(shape([...orders, { kind: "broken", emitter }])).toMatchObject({ complete: [false] });
});

test("[ING-12] an order that the call skipped has the zero hash and does not count as missing", () => {
	expect(shape([filled(1, 7), matched(2, [0, 7])])).toMatchObject({
		matches: [[1]],
		complete: [true],
		undecoded: [],
	});
});

const nft = { itemType: 2 as const, token: emitter, identifier: 1n, amount: 1n };
const coin = (amount: bigint) => ({ ...nft, itemType: 1 as const, identifier: 0n, amount });
const unnamed = (
	logIndex: number,
	offer: FulfilledOrder["offer"],
	asked: FulfilledOrder["offer"],
): SeaportEntry => {
	const entry = filled(logIndex, logIndex, ZERO_ADDRESS);
	if (entry.kind !== "fulfilled") throw new Error("it is a fulfilment");
	const { order } = entry.fulfilment;
	const consideration = asked.map((item) => ({ ...item, recipient: taker }));
	return { ...entry, fulfilment: { logIndex, order: { ...order, offer, consideration } } };
};

test("[ING-12] orders without a recipient whose items do not add up are an incomplete match", () => {
	const listing = unnamed(1, [nft], [coin(9n)]);
	const bid = unnamed(2, [coin(9n)], [nft]);
	expect(shape([listing, bid])).toMatchObject({ complete: [true], undecoded: [] });
	for (const alone of [[listing], [bid], [listing, unnamed(3, [coin(8n)], [])]]) {
		expect(shape(alone)).toMatchObject({ complete: [false], undecoded: [] });
	}
});

test("[ING-12] a payment whose match is missing is reported, because no other log shows it", () => {
	expect(shape([unnamed(1, [coin(9n)], [])])).toMatchObject({ complete: [false], undecoded: [1] });
});
