// Fills Seaport orders, writes their logs, and compares sales with the chain.

import { expect } from "bun:test";
import {
	type Abi,
	encodeAbiParameters,
	encodeFunctionData,
	type Hex,
	numberToHex,
	padHex,
	parseAbi,
} from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import type { Sale } from "#plugins/chain-scanner/contract.ts";
import { decodeSeaportTransaction } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";

export type ExpectedSale = Partial<Sale> & { tokenId: bigint };

export type LoggedItem = { itemType: number; token: Hex; identifier: bigint; amount: bigint };
export type LoggedOrder = {
	orderHash: Hex;
	offerer: Hex;
	zone: Hex;
	recipient: Hex;
	offer: LoggedItem[];
	consideration: (LoggedItem & { recipient: Hex })[];
};

export type OrderItem = {
	itemType: number;
	token: Hex;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
};
export type ConsiderationItem = OrderItem & { recipient: Hex };

export type OrderParameters = {
	offerer: Hex;
	zone: Hex;
	offer: OrderItem[];
	consideration: ConsiderationItem[];
	orderType: number;
	startTime: bigint;
	endTime: bigint;
	zoneHash: Hex;
	salt: bigint;
	conduitKey: Hex;
	totalOriginalConsiderationItems: bigint;
};
export type SignedOrder = { parameters: OrderParameters; signature: Hex };

/** A part of an order to fill; by default all of it. */
export type Part = { order: SignedOrder; numerator?: bigint; denominator?: bigint };
export type CriteriaResolver = {
	orderIndex: bigint;
	/** 0: offer, 1: consideration. */
	side: number;
	index: bigint;
	identifier: bigint;
	criteriaProof: Hex[];
};
/** Pairs `[order, item]`: which offer items pay for which consideration items. */
export type Fulfillment = { from: [number, number][]; to: [number, number][] };

export type Receipt = {
	status: Hex;
	transactionHash: Hex;
	blockNumber: Hex;
	gasUsed: Hex;
	effectiveGasPrice: Hex;
	from: Hex;
	logs: RawLog[];
};

/** Owners, balances and payments, as the chain itself knows them. */
export type SeaportState = {
	ownerOf(id: bigint, block: Hex): Promise<Hex>;
	multiBalance(of: { owner: Hex; id: bigint }, block: Hex): Promise<bigint>;
	/** Returns how much an account's balance fell in a transaction's block, without its gas. */
	spent(by: { account: Hex; currency: Hex }, receipt: Receipt): Promise<bigint>;
};

/** The sender of a call, and the native currency that is sent. */
export type Call = { from: Hex; value?: bigint };
type Recipient = { recipient?: Hex };

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const ZERO_WORD: Hex = `0x${"0".repeat(64)}`;

const abi = parseAbi([
	"struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
	"struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
	"event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
	"event OrdersMatched(bytes32[] orderHashes)",
]);

/**
 * Writes Seaport logs from their meaning, encoded by viem and not by our code, for shapes that need
 * no chain and for versions whose bytecode we do not have.
 */
export const seaportLogs = {
	abi,
	v11: "0x00000000006c3852cbef3e08e8df289169ede581" as Hex,
	v16: "0x0000000000000068f116a894984e2db1123eb395" as Hex,
	topics: {
		orderFulfilled: "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31",
		ordersMatched: "0x4b9f2d36e1b4c93de62cc077b00b1a91d84b6c31b4a14e012718dcca230689e7",
	} as const,
	/** Returns a log at its own place; set `logIndex` if several are read together. */
	log(content: { topics: Hex[]; data: Hex; address?: Hex; logIndex?: number }): RawLog {
		return {
			address: content.address ?? seaportLogs.v16,
			topics: content.topics,
			data: content.data,
			blockNumber: "0x1",
			blockHash: padHex("0xb1", { size: 32 }),
			transactionHash: padHex("0x71", { size: 32 }),
			transactionIndex: "0x0",
			logIndex: numberToHex(content.logIndex ?? 0),
		};
	},
	fulfilled(order: LoggedOrder, place: { address?: Hex; logIndex?: number } = {}): RawLog {
		const [event] = abi.filter((entry) => entry.name === "OrderFulfilled");
		const inputs = event?.inputs.filter((input) => !("indexed" in input && input.indexed)) ?? [];
		return seaportLogs.log({
			...place,
			topics: [
				seaportLogs.topics.orderFulfilled,
				padHex(order.offerer, { size: 32 }),
				padHex(order.zone, { size: 32 }),
			],
			data: encodeAbiParameters(inputs, [
				order.orderHash,
				order.recipient,
				order.offer,
				order.consideration,
			]),
		});
	},
	matched(orderHashes: Hex[], place: { address?: Hex; logIndex?: number } = {}): RawLog {
		const data = encodeAbiParameters([{ type: "bytes32[]" }], [orderHashes]);
		return seaportLogs.log({ ...place, topics: [seaportLogs.topics.ordersMatched], data });
	},
};

/** Makes checks that compare the decoder's sales with the chain. */
export function seaportChecks(chain: SeaportState) {
	/** Decodes the receipt, then compares each sale with the chain before and after its block. */
	async function salesOf(receipt: Receipt, expected: ExpectedSale[]): Promise<Sale[]> {
		const { sales, undecoded } = decodeSeaportTransaction(receipt.logs);
		expect(undecoded).toEqual([]);
		expect(sales.map(({ tokenId }) => tokenId)).toEqual(expected.map(({ tokenId }) => tokenId));
		for (const [index, sale] of sales.entries()) expect(sale).toMatchObject(expected[index] ?? {});
		expect(new Set(sales.map(({ logIndex, subIndex }) => `${logIndex}.${subIndex}`)).size).toBe(
			sales.length,
		);
		const before = numberToHex(BigInt(receipt.blockNumber) - 1n);
		for (const { standard, tokenId, seller, buyer } of sales) {
			if (standard === "erc721") {
				expect(await chain.ownerOf(tokenId, before)).toBe(seller);
				expect(await chain.ownerOf(tokenId, receipt.blockNumber)).toBe(buyer);
				continue;
			}
			for (const owner of new Set([seller, buyer])) {
				const changed =
					(await chain.multiBalance({ owner, id: tokenId }, receipt.blockNumber)) -
					(await chain.multiBalance({ owner, id: tokenId }, before));
				let said = 0n;
				for (const sale of sales) {
					if (sale.tokenId !== tokenId) continue;
					if (sale.buyer === owner) said += sale.quantity;
					if (sale.seller === owner) said -= sale.quantity;
				}
				expect(changed).toBe(said);
			}
		}
		return sales;
	}

	/** Checks that the sales are everything that left the account. */
	async function expectPaid(receipt: Receipt, by: Hex, currency: Hex, sales: Sale[]) {
		const total = sales.reduce((sum, sale) => sum + (sale.totalRaw ?? 0n), 0n);
		expect(await chain.spent({ account: by, currency }, receipt)).toBe(total);
	}
	return { salesOf, expectPaid };
}

/**
 * Returns the ways of filling an order, each as one call of Seaport.
 *
 * Calls that split items into executions do so item by item; a match names its own.
 */
export function seaportFilling(world: {
	address: Hex;
	abi: Abi;
	send(call: Call & { to: Hex; data: Hex }): Promise<Receipt>;
}) {
	const run = (functionName: string, args: unknown[], { from, value }: Call) => {
		const data = encodeFunctionData({ abi: world.abi, functionName, args });
		return world.send({ from, to: world.address, data, ...(value !== undefined && { value }) });
	};
	const advanced = ({ order, numerator = 1n, denominator = 1n }: Part) => ({
		...order,
		numerator,
		denominator,
		extraData: "0x",
	});
	const components = (list: [number, number][]) =>
		list.map(([orderIndex, itemIndex]) => ({
			orderIndex: BigInt(orderIndex),
			itemIndex: BigInt(itemIndex),
		}));
	const fulfillments = (list: Fulfillment[]) =>
		list.map(({ from, to }) => ({
			offerComponents: components(from),
			considerationComponents: components(to),
		}));
	return {
		fulfillBasicOrder(
			order: SignedOrder,
			call: Call & { tips?: { amount: bigint; recipient: Hex }[] },
		) {
			return run("fulfillBasicOrder", [basicParameters(order, call.tips ?? [])], call);
		},
		fulfillOrder(order: SignedOrder, call: Call & { tips?: ConsiderationItem[] }) {
			const consideration = [...order.parameters.consideration, ...(call.tips ?? [])];
			const tipped = { ...order, parameters: { ...order.parameters, consideration } };
			return run("fulfillOrder", [tipped, ZERO_WORD], call);
		},
		fulfillAdvancedOrder(part: Part, call: Call & Recipient & { resolvers?: CriteriaResolver[] }) {
			const args = [advanced(part), call.resolvers ?? [], ZERO_WORD, call.recipient ?? ZERO];
			return run("fulfillAdvancedOrder", args, call);
		},
		/** Each item of each order is its own execution. */
		fulfillAvailableAdvancedOrders(parts: Part[], call: Call & Recipient & { maximum?: bigint }) {
			const each = (list: (part: Part) => readonly unknown[]) =>
				parts.flatMap((part, orderIndex) =>
					list(part).map((_, itemIndex) => components([[orderIndex, itemIndex]])),
				);
			return run(
				"fulfillAvailableAdvancedOrders",
				[
					parts.map(advanced),
					[],
					each(({ order }) => order.parameters.offer),
					each(({ order }) => order.parameters.consideration),
					ZERO_WORD,
					call.recipient ?? ZERO,
					call.maximum ?? BigInt(parts.length),
				],
				call,
			);
		},
		matchOrders(orders: SignedOrder[], list: Fulfillment[], call: Call) {
			return run("matchOrders", [orders, fulfillments(list)], call);
		},
		matchAdvancedOrders(
			parts: Part[],
			list: Fulfillment[],
			call: Call & Recipient & { resolvers?: CriteriaResolver[] },
		) {
			const resolvers = call.resolvers ?? [];
			const args = [parts.map(advanced), resolvers, fulfillments(list), call.recipient ?? ZERO];
			return run("matchAdvancedOrders", args, call);
		},
	};
}

/**
 * Returns the parameters of a basic order, which has six routes: which side is the NFT, and what
 * pays.
 */
function basicParameters(
	{ parameters, signature }: SignedOrder,
	tips: readonly { amount: bigint; recipient: Hex }[],
) {
	const [offered] = parameters.offer;
	const [asked, ...additional] = parameters.consideration;
	if (!offered || !asked) throw new Error("a basic order has one item on each side at least");
	const isBid = offered.itemType === 1;
	const nftIs1155 = (isBid ? asked : offered).itemType === 3;
	const route = (isBid ? 4 : asked.itemType === 1 ? 2 : 0) + (nftIs1155 ? 1 : 0);
	return {
		considerationToken: asked.token,
		considerationIdentifier: asked.identifierOrCriteria,
		considerationAmount: asked.startAmount,
		offerer: parameters.offerer,
		zone: parameters.zone,
		offerToken: offered.token,
		offerIdentifier: offered.identifierOrCriteria,
		offerAmount: offered.startAmount,
		basicOrderType: parameters.orderType + 4 * route,
		startTime: parameters.startTime,
		endTime: parameters.endTime,
		zoneHash: parameters.zoneHash,
		salt: parameters.salt,
		offererConduitKey: parameters.conduitKey,
		fulfillerConduitKey: ZERO_WORD,
		totalOriginalAdditionalRecipients: BigInt(additional.length),
		additionalRecipients: [
			...additional.map(({ startAmount, recipient }) => ({ amount: startAmount, recipient })),
			...tips,
		],
		signature,
	};
}
