import { encodeAbiParameters, type Hex, padHex, toHex } from "viem";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { FakeLog } from "#test/harness/fakeChain.ts";
import { type LoggedItem, type LoggedOrder, seaportLogs } from "#test/harness/seaportLogs.ts";
import { cast } from "#test/sim/chain/cast.ts";
import type { Deal, Fact } from "#test/sim/chain/Deal.ts";

// Written out and not imported: a wrong topic in the product must not be wrong here too.
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

const word = (value: Hex): Hex => padHex(value, { size: 32 });
const uint = (value: bigint): Hex => toHex(value, { size: 32 });

type Units = { tokenId: bigint; quantity: bigint };
type Token = Units & { contract: Address; standard: "erc721" | "erc1155" };

/** Tokens that come into being in one transaction; its value is spread over their units. */
export function mintDeal(options: {
	contract: Address;
	standard: "erc721" | "erc1155";
	units: readonly Units[];
	to: Address;
	value: bigint;
	/** All units in one `TransferBatch` instead of a log each. */
	batch: boolean;
}): Deal {
	const { contract, standard, units, to, value, batch } = options;
	const move = { contract, from: ZERO_ADDRESS, to };
	const logs = batch
		? [batchLog(move, units)]
		: units.map((unit) => transferLog({ ...move, ...unit, standard }));
	const all = units.reduce((sum, { quantity }) => sum + quantity, 0n);
	const facts = units.map(
		(unit, index): Fact => ({
			kind: "mint",
			logOffset: batch ? 0 : index,
			subIndex: batch ? index : 0,
			contract,
			standard,
			...unit,
			from: ZERO_ADDRESS,
			to,
			venue: null,
			currency: ZERO_ADDRESS,
			totalRaw: (value / all) * unit.quantity + (index === 0 ? value % all : 0n),
			accepted: true,
			reason: null,
		}),
	);
	return { value, logs, facts };
}

/** A listing that somebody took: the maker gives the token, the taker pays the maker and a fee. */
export function listingDeal(options: {
	token: Token;
	seller: Address;
	buyer: Address;
	price: bigint;
	currency: Address;
	orderHash: Hex;
}): Deal {
	const { token, seller, buyer, price, currency, orderHash } = options;
	const fee = price / 40n;
	const payment = { itemType: currency === ZERO_ADDRESS ? 0 : 1, token: currency, identifier: 0n };
	const consideration = [
		{ ...payment, amount: price - fee, recipient: seller },
		{ ...payment, amount: fee, recipient: cast.feeTaker },
	];
	const order = { orderHash, offerer: seller, zone: ZERO_ADDRESS, recipient: buyer };
	const sold = orderLog({ ...order, offer: [itemOf(token)], consideration });
	const moved = transferLog({ ...token, from: seller, to: buyer });
	const isSelf = seller === buyer;
	const reason = isSelf ? "self_trade" : price === 0n ? "zero_price" : null;
	const sale = { ...saleOf(token, { seller, buyer }), currency, totalRaw: price };
	return {
		value: currency === ZERO_ADDRESS ? price : 0n,
		logs: [sold, moved],
		facts: [{ ...sale, accepted: reason === null, reason }],
	};
}

/**
 * An offer that somebody accepted through a broker: the marketplace's log names the broker, only
 * the token's own log says who gave it.
 */
export function offerDeal(options: {
	token: Token;
	seller: Address;
	buyer: Address;
	price: bigint;
	orderHash: Hex;
}): Deal {
	const { token, seller, buyer, price, orderHash } = options;
	const paid = { itemType: 1, token: cast.weth, identifier: 0n, amount: price };
	const fee = { ...paid, amount: price / 40n, recipient: cast.feeTaker };
	const order = { orderHash, offerer: buyer, zone: ZERO_ADDRESS, recipient: cast.broker };
	const consideration = [{ ...itemOf(token), recipient: buyer }, fee];
	const sold = orderLog({ ...order, offer: [paid], consideration });
	const moved = transferLog({ ...token, from: seller, to: buyer });
	const sale = { ...saleOf(token, { seller, buyer }), currency: cast.weth, totalRaw: price };
	return {
		value: 0n,
		logs: [coinLog(buyer, cast.broker, price), moved, sold],
		facts: [{ ...sale, logOffset: 2, accepted: true, reason: null }],
	};
}

/** What shares topics with mints and sales and is neither. */
export function noiseDeal(token: Token, [from, to]: readonly [Address, Address]): Deal {
	const logs = [coinLog(ZERO_ADDRESS, to, 5n), transferLog({ ...token, from, to })];
	return { value: 7n, logs, facts: [] };
}

function saleOf(token: Token, { seller, buyer }: { seller: Address; buyer: Address }) {
	const place = { kind: "sale", logOffset: 0, subIndex: 0, venue: "seaport" } as const;
	return { ...place, ...token, from: seller, to: buyer };
}

function itemOf({ contract, standard, tokenId, quantity }: Token): LoggedItem {
	const itemType = standard === "erc721" ? 2 : 3;
	return { itemType, token: contract, identifier: tokenId, amount: quantity };
}

function orderLog(order: LoggedOrder): FakeLog {
	const { address, topics, data } = seaportLogs.fulfilled(order);
	return { address, topics, data };
}

function transferLog(move: Token & { from: Address; to: Address }): FakeLog {
	const { contract, standard, tokenId, quantity, from, to } = move;
	if (standard === "erc721") {
		return { address: contract, topics: [TRANSFER, word(from), word(to), uint(tokenId)] };
	}
	const data: Hex = `${uint(tokenId)}${uint(quantity).slice(2)}`;
	return { address: contract, topics: [SINGLE, word(to), word(from), word(to)], data };
}

function batchLog(
	{ contract, from, to }: { contract: Address; from: Address; to: Address },
	units: readonly Units[],
): FakeLog {
	const data = encodeAbiParameters(
		[{ type: "uint256[]" }, { type: "uint256[]" }],
		[units.map(({ tokenId }) => tokenId), units.map(({ quantity }) => quantity)],
	);
	return { address: contract, topics: [BATCH, word(to), word(from), word(to)], data };
}

function coinLog(from: Address, to: Address, amount: bigint): FakeLog {
	return { address: cast.dollar, topics: [TRANSFER, word(from), word(to)], data: uint(amount) };
}
