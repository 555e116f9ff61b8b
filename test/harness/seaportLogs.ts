import { encodeAbiParameters, type Hex, numberToHex, padHex, parseAbi } from "viem";
import type { RawLog } from "#core/chain/RawLog.ts";

export type LoggedItem = { itemType: number; token: Hex; identifier: bigint; amount: bigint };
export type LoggedOrder = {
	orderHash: Hex;
	offerer: Hex;
	zone: Hex;
	recipient: Hex;
	offer: LoggedItem[];
	consideration: (LoggedItem & { recipient: Hex })[];
};

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
