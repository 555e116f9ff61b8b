import { z } from "zod";
import { BLOCK_NUMBER_MAX, PLACE_MAX, SECONDS_MAX } from "#core/chain/limits.ts";

const isQuantity = (text: string): text is `0x${string}` => /^0x[0-9a-f]{1,64}$/i.test(text);

/** Any number of at most 256 bits, without a meaning that would bound it further. */
const quantity = z
	.string()
	.refine(isQuantity, "is no quantity")
	.transform((text) => BigInt(text));

/**
 * Numbers as JSON-RPC writes them, each parsed with the range that its meaning allows. A node that
 * answers a number outside of it is wrong, whatever else it says: a nonce of 2^53 that was believed
 * once could not be read back from the database, and stopped settlement for everybody.
 *
 * What is stored as int8 or counted with is a number, and safe as both. Amounts are bigints.
 */
export const chainNumbers = {
	quantity,
	blockNumber: wholeUpTo(BLOCK_NUMBER_MAX),
	/** EIP-2681 allows 2^64 - 2; at a thousand a second an account stays below this for as long. */
	nonce: wholeUpTo(2 ** 48 - 1),
	/** Seconds since 1970, of a block. */
	seconds: wholeUpTo(SECONDS_MAX),
	/** A transaction's or a log's place in its block. */
	place: wholeUpTo(PLACE_MAX),
	/** EIP-2294 bounds chain ids below 2^63; ours are configured as safe integers. */
	chainId: wholeUpTo(Number.MAX_SAFE_INTEGER),
	/** Far above every block's limit; some chains count in hundredths. */
	gas: unitsUpTo(2n ** 48n - 1n),
	/** Wei for each unit of gas: one ETH, a billion times what was ever paid. */
	gasPrice: unitsUpTo(10n ** 18n),
	wei: quantity,
	/** Whether a transaction did what it was sent for (EIP-658). There is no third answer. */
	succeeded: quantity
		.refine((value) => value <= 1n, "is neither success nor failure")
		.transform((value) => value === 1n),
};

function wholeUpTo(max: number) {
	return quantity
		.refine((value) => value <= BigInt(max), `is above ${max}`)
		.transform((value) => Number(value));
}

function unitsUpTo(max: bigint) {
	return quantity.refine((value) => value <= max, `is above ${max}`);
}
