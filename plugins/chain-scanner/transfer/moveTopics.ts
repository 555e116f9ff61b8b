import type { Hex } from "#core/chain/Hex.ts";
import {
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
} from "#plugins/chain-scanner/mint/mintTopics.ts";

/** `ConsecutiveTransfer(uint256,uint256,address,address)` of ERC-2309: a whole range of ids. */
export const CONSECUTIVE_TRANSFER_TOPIC: Hex =
	"0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";

/** All topics by which a contract logs that its tokens moved. */
export const MOVE_TOPICS: readonly Hex[] = [
	TRANSFER_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_BATCH_TOPIC,
	CONSECUTIVE_TRANSFER_TOPIC,
];
