import type { Hex } from "#core/chain/Hex.ts";

/** Bits of a bloom that one address sets. */
const BITS_PER_ADDRESS = 3;
const BLOOM_BITS = 2_048;

/** The most blocks whose receipts are read in vain: one in so many. */
const FALSE_ALARM_EVERY = 20;

/**
 * Says whether a block's bloom is empty enough to be asked about so many contracts. A full one says
 * "maybe" for every contract, and each doubt costs a whole block's receipts.
 */
export function bloomsTell(bloom: Hex | null, contracts: number): boolean {
	if (bloom === null) return false;
	let ones = 0;
	for (let at = 2; at < bloom.length; at++) {
		for (let nibble = Number.parseInt(bloom.charAt(at), 16); nibble > 0; nibble >>= 1) {
			ones += nibble & 1;
		}
	}
	const falseAlarms = contracts * (ones / BLOOM_BITS) ** BITS_PER_ADDRESS;
	return falseAlarms * FALSE_ALARM_EVERY <= 1;
}
