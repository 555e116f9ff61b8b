import type { Hex } from "#core/chain/Hex.ts";

/** `Transfer(address,address,uint256)`: ERC-721 with four topics, ERC-20 with three. */
export const TRANSFER_TOPIC: Hex =
	"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
export const TRANSFER_SINGLE_TOPIC: Hex =
	"0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";

/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
export const TRANSFER_BATCH_TOPIC: Hex =
	"0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/** The zero address as an indexed argument. */
export const ZERO_TOPIC: Hex = `0x${"0".repeat(64)}`;

const UNITS = [TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC] as const;

/**
 * The topic filters of the mint lane, for any contract. Four positions in the first: nodes that
 * follow geth then leave out logs with fewer topics, which are the ERC-20 mints.
 */
export const MINT_FILTERS = [
	[TRANSFER_TOPIC, ZERO_TOPIC, null, null],
	[UNITS, null, ZERO_TOPIC],
] as const;

/**
 * The same near the head, with ERC-20 mints and ERC-1155 transfers included. A block's bloom shows
 * that such a log exists and not that it mints an NFT: with all of them an honest answer without
 * mints explains itself, and no receipts need to be read.
 */
export const HEAD_MINT_FILTERS = [[TRANSFER_TOPIC, ZERO_TOPIC], [UNITS]] as const;
