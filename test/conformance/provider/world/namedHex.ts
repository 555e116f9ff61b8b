import { type Hex, keccak256, toHex } from "viem";

/** 32 bytes that follow from the text: a hash of a transaction or an order. */
export function hashOf(text: string): Hex {
	return keccak256(toHex(text));
}

/** 20 bytes that follow from the text: an account or a contract. */
export function addressOf(text: string): Hex {
	return `0x${hashOf(text).slice(26)}`;
}
