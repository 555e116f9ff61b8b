/** `0x` and hex digits; our own code writes them in lower case. */
export type Hex = `0x${string}`;

/** A 20-byte account or contract, lower case. */
export type Address = Hex;

/** A filter of logs in the form of `eth_getLogs` and `eth_subscribe`, without the range. */
export type LogFilter = {
	address?: readonly Hex[];
	topics: readonly (Hex | null | readonly Hex[])[];
};

/** Holds one log as `eth_getLogs` returns it: quantities are still hex, nothing is decoded. */
export type RawLog = {
	address: Hex;
	topics: readonly Hex[];
	data: Hex;
	blockNumber: Hex;
	blockHash: Hex;
	transactionHash: Hex;
	transactionIndex: Hex;
	logIndex: Hex;
	/**
	 * The time of the log's block. Only newer nodes send it; without it the lane reads the block's
	 * header.
	 */
	blockTimestamp?: Hex | undefined;
	/** True in subscriptions when a reorg removed the log. */
	removed?: boolean | undefined;
};

/** Twenty zero bytes: the sender of mints, and Seaport's code for "the native currency". */
export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";

/**
 * A chain has fewer than 2^33 blocks: at ten a second, the fastest that is indexed, it takes 27
 * years to get there. The index orders events by a number with 33 bits for the block.
 */
export const BLOCK_NUMBER_MAX = 2 ** 33 - 1;
/** The most seconds since 1970 that a Date can hold; a node's larger number is no time. */
export const SECONDS_MAX = 8_640_000_000_000;
/**
 * Positions of transactions and logs in their block are below 2^30: a block of a million million
 * gas cannot contain that many. The index uses higher positions for its own events.
 */
export const PLACE_MAX = 2 ** 30 - 1;

const ADDRESS = /^0x[0-9a-f]{40}$/;
const WORD = /^0x[0-9a-f]{64}$/;

/** Returns true for 20 bytes in lower case, as our own code writes accounts and contracts. */
export function isAddress(text: string): text is Address {
	return ADDRESS.test(text);
}

/** Returns true for 32 bytes in lower case: a hash, a topic, a storage word. */
export function isWord(text: string): text is Hex {
	return WORD.test(text);
}

/**
 * Returns the bytes of hex, as `bytea` columns take them. Uses the engine's own code, which is many
 * times as fast as viem's `hexToBytes`. It checks nothing: decoding stops at an invalid digit.
 */
export function bytesOf(hex: Hex): Buffer {
	return Buffer.from(hex.slice(2), "hex");
}

/**
 * Writes bytes as hex in lower case. Like viem's `bytesToHex`, but by the engine's own code, which
 * is many times as fast: rows are read by the thousand, each with several hashes.
 */
export function hexOf(bytes: Uint8Array): Hex {
	return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** Returns a number as JSON-RPC writes quantities: hex without leading zeros. */
export function hexQuantity(value: number | bigint): Hex {
	return `0x${value.toString(16)}`;
}
