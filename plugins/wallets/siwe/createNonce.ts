import { NONCE_LENGTH } from "#plugins/wallets/limits.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** 113 bits more than the nonce has, so that dividing favours no letter by more than 2^-113. */
const RANDOM_BYTES = 32;

/**
 * Letters and digits that nobody can guess: 142 bits.
 *
 * @param randomBytes from the operating system, as `node:crypto` gives them.
 */
export function createNonce(randomBytes: (count: number) => Uint8Array): string {
	let rest = BigInt(`0x${Buffer.from(randomBytes(RANDOM_BYTES)).toString("hex")}`);
	const base = BigInt(ALPHABET.length);
	let nonce = "";
	for (let written = 0; written < NONCE_LENGTH; written++) {
		nonce += ALPHABET[Number(rest % base)];
		rest /= base;
	}
	return nonce;
}
