// Plans the mints, sales and noise of simulated blocks.

import { encodeAbiParameters, type Hex, padHex, toHex } from "viem";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { FakeLog } from "#test/harness/fakeChain.ts";
import { type LoggedItem, type LoggedOrder, seaportLogs } from "#test/harness/seaportOrder.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";

/**
 * What really happened in a transaction, as the one who made it up knows it. The oracle computes
 * every row from these and never from logs, so it shares no line with what it judges.
 */
export type Fact = {
	kind: "mint" | "sale";
	/** The log within its transaction. */
	logOffset: number;
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	tokenId: bigint;
	quantity: bigint;
	from: Address;
	to: Address;
	venue: string | null;
	currency: Address;
	totalRaw: bigint;
	accepted: boolean;
	reason: string | null;
};

/** One transaction's content, before it has a hash or a block. */
export type Deal = { value: bigint; logs: readonly FakeLog[]; facts: readonly Fact[] };

type Units = { tokenId: bigint; quantity: bigint };
type Token = Units & { contract: Address; standard: "erc721" | "erc1155" };

const address = (text: string): Address => padHex(`0x${text}`, { size: 20 });

/** Everybody who appears on a simulated chain. */
export const cast = {
	erc721: [address("7210"), address("7211"), address("7212")],
	erc1155: [address("11550"), address("11551")],
	weth: address("e7e7"),
	/** An ERC-20 without a rate: what is paid in it has no native price. */
	dollar: address("d011a4"),
	people: [address("a1"), address("a2"), address("a3"), address("a4"), address("a5")],
	broker: address("b20ce4"),
	feeTaker: address("fee"),
};

// Written out and not imported: a wrong topic in the product must not be wrong here too.
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

const word = (value: Hex): Hex => padHex(value, { size: 32 });
const uint = (value: bigint): Hex => toHex(value, { size: 32 });

/** More mints than one window may show: the topic says "fetch a snapshot" instead. */
const CROWD = 45;
const ETHER = 10n ** 18n;

/** The definition of one simulated chain. Each run has an id of its own in the shared database. */
export function chainOf(id: number): Chain {
	return {
		slug: `sim-${id}`,
		id,
		name: `Simulated ${id}`,
		nativeCurrency: { symbol: "ETH", decimals: 18 },
		nativeIsEth: true,
		wrappedNative: cast.weth,
		aliases: [],
		publicRpcUrls: [],
	};
}

/** What happens in one block. `serial` makes every transaction one of its kind. */
export function planDeals(prng: Prng, serial: () => number): Deal[] {
	const deals: Deal[] = [];
	const count = prng.chance(0.3) ? 0 : prng.int(4);
	for (let made = 0; made < count; made++) deals.push(planDeal(prng, serial));
	return deals;
}

/** Tokens that come into being in one transaction; its value is spread over their units. */
function mintDeal(options: {
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
function listingDeal(options: {
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
function offerDeal(options: {
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
function noiseDeal(token: Token, [from, to]: readonly [Address, Address]): Deal {
	const logs = [coinLog(ZERO_ADDRESS, to, 5n), transferLog({ ...token, from, to })];
	return { value: 7n, logs, facts: [] };
}

function planDeal(prng: Prng, serial: () => number): Deal {
	const dice = prng.next();
	if (dice < 0.4) return planMint(prng);
	if (dice < 0.5) return noiseDeal(planToken(prng), [prng.pick(cast.people), cast.feeTaker]);
	const token = planToken(prng);
	const seller = prng.pick(cast.people);
	const buyer = prng.chance(0.1) ? seller : prng.pick(cast.people);
	const orderHash = toHex(serial(), { size: 32 });
	const price = prng.chance(0.08) ? 0n : BigInt(1 + prng.int(1_000_000)) * (ETHER / 977n);
	const shared = { token, seller, buyer, orderHash };
	if (dice < 0.65 && price > 0n && seller !== buyer) return offerDeal({ ...shared, price });
	const coin = prng.pick([ZERO_ADDRESS, ZERO_ADDRESS, cast.weth, cast.dollar]);
	// Nothing is paid in no coin at all.
	return listingDeal({ ...shared, price, currency: price === 0n ? ZERO_ADDRESS : coin });
}

function planMint(prng: Prng): Deal {
	const to = prng.pick(cast.people);
	const value = prng.chance(0.3) ? 0n : BigInt(1 + prng.int(1_000)) * (ETHER / 1_013n) + 1n;
	const many = prng.chance(0.04) ? CROWD : 1 + prng.int(4);
	const shared = { to, value };
	if (prng.chance(0.6)) {
		const units = Array.from({ length: many }, () => ({ tokenId: tokenId(prng), quantity: 1n }));
		const contract = prng.pick(cast.erc721);
		return mintDeal({ ...shared, contract, standard: "erc721", units, batch: false });
	}
	const units = Array.from({ length: many }, () => {
		return { tokenId: tokenId(prng), quantity: BigInt(1 + prng.int(9)) };
	});
	const contract = prng.pick(cast.erc1155);
	return mintDeal({ ...shared, contract, standard: "erc1155", units, batch: prng.chance(0.5) });
}

function tokenId(prng: Prng): bigint {
	return BigInt(prng.int(5_000));
}

function planToken(prng: Prng) {
	if (prng.chance(0.6)) {
		const contract = prng.pick(cast.erc721);
		return { contract, standard: "erc721", tokenId: tokenId(prng), quantity: 1n } as const;
	}
	const quantity = BigInt(1 + prng.int(7));
	const contract = prng.pick(cast.erc1155);
	return { contract, standard: "erc1155", tokenId: tokenId(prng), quantity } as const;
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

function transferLog(move: Token & { from: Address; to: Address }): FakeLog {
	const { contract, standard, tokenId, quantity, from, to } = move;
	if (standard === "erc721") {
		return { address: contract, topics: [TRANSFER, word(from), word(to), uint(tokenId)] };
	}
	const data: Hex = `${uint(tokenId)}${uint(quantity).slice(2)}`;
	return { address: contract, topics: [SINGLE, word(to), word(from), word(to)], data };
}

function orderLog(order: LoggedOrder): FakeLog {
	const { address, topics, data } = seaportLogs.fulfilled(order);
	return { address, topics, data };
}

function itemOf({ contract, standard, tokenId, quantity }: Token): LoggedItem {
	const itemType = standard === "erc721" ? 2 : 3;
	return { itemType, token: contract, identifier: tokenId, amount: quantity };
}

function saleOf(token: Token, { seller, buyer }: { seller: Address; buyer: Address }) {
	const place = { kind: "sale", logOffset: 0, subIndex: 0, venue: "seaport" } as const;
	return { ...place, ...token, from: seller, to: buyer };
}

function coinLog(from: Address, to: Address, amount: bigint): FakeLog {
	return { address: cast.dollar, topics: [TRANSFER, word(from), word(to)], data: uint(amount) };
}
