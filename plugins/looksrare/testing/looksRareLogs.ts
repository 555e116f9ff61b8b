import { encodeAbiParameters, type Hex, numberToHex, padHex, parseAbi } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";

export type LoggedTrade = {
	nonceInvalidationParameters: {
		orderHash: Hex;
		orderNonce: bigint;
		isNonceInvalidated: boolean;
	};
	taker: Hex;
	recipient: Hex;
	strategyId: bigint;
	currency: Hex;
	collection: Hex;
	itemIds: bigint[];
	amounts: bigint[];
	feeRecipients: [Hex, Hex];
	feeAmounts: [bigint, bigint, bigint];
};

const abi = parseAbi([
	"struct NonceInvalidationParameters { bytes32 orderHash; uint256 orderNonce; bool isNonceInvalidated; }",
	"event TakerBid(NonceInvalidationParameters nonceInvalidationParameters, address bidUser, address bidRecipient, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
	"event TakerAsk(NonceInvalidationParameters nonceInvalidationParameters, address askUser, address bidUser, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
]);
const topicOf = {
	TakerBid: "0x3ee3de4684413690dee6fff1a0a4f92916a1b97d1c5a83cdf24671844306b2e3",
	TakerAsk: "0x9aaa45d6db2ef74ead0751ea9113263d1dec1b50cea05f0ca2002cb8063564a4",
} as const;

/** Writes LooksRare logs from their meaning, encoded by viem and not by us. */
export const looksRareLogs = {
	/** The two events as the published interface declares them (ILooksRareProtocol.sol, 0.1.3). */
	abi,
	log(content: { topics: Hex[]; data: Hex; logIndex?: number }): RawLog {
		return {
			address: "0x0000000000e655fae4d56241588680f86e3b2377",
			topics: content.topics,
			data: content.data,
			blockNumber: "0x1",
			blockHash: padHex("0xb1", { size: 32 }),
			transactionHash: padHex("0x71", { size: 32 }),
			transactionIndex: "0x0",
			logIndex: numberToHex(content.logIndex ?? 0),
		};
	},
	trade(name: "TakerBid" | "TakerAsk", trade: LoggedTrade, logIndex = 0): RawLog {
		const event = abi.find((entry) => entry.name === name) ?? abi[0];
		const data = encodeAbiParameters(event.inputs, [
			trade.nonceInvalidationParameters,
			trade.taker,
			trade.recipient,
			trade.strategyId,
			trade.currency,
			trade.collection,
			trade.itemIds,
			trade.amounts,
			trade.feeRecipients,
			trade.feeAmounts,
		]);
		return looksRareLogs.log({ topics: [topicOf[name]], data, logIndex });
	},
};
