import { z } from "zod";
import { BLOCK_NUMBER_MAX, PLACE_MAX, SECONDS_MAX } from "#core/chain/limits.ts";

const isQuantity = (text: string): text is `0x${string}` => /^0x[0-9a-f]{1,64}$/i.test(text);

/** Any number of at most 256 bits, without a narrower range. */
const quantity = z
	.string()
	.refine(isQuantity, "is no quantity")
	.transform((text) => BigInt(text));

/**
 * Numbers as JSON-RPC writes them, each parsed with the range that its meaning allows. A node that
 * sends a number outside of it is wrong: a nonce of 2^53 that was accepted once could not be read
 * back from the database, and stopped settlement for all users.
 *
 * Values that are stored as int8 or used in arithmetic become safe numbers. Amounts become bigints.
 */
export const chainNumbers = {
	quantity,
	blockNumber: wholeUpTo(BLOCK_NUMBER_MAX),
	/**
	 * EIP-2681 allows 2^64 - 2; at a thousand a second an account needs 8,900 years to reach this.
	 */
	nonce: wholeUpTo(2 ** 48 - 1),
	/** Seconds since 1970, of a block. */
	seconds: wholeUpTo(SECONDS_MAX),
	/** Reads the position of a transaction or a log in its block. */
	place: wholeUpTo(PLACE_MAX),
	/** EIP-2294 bounds chain ids below 2^63; ours are configured as safe integers. */
	chainId: wholeUpTo(Number.MAX_SAFE_INTEGER),
	/** Far above every block's limit; some chains count in hundredths. */
	gas: unitsUpTo(2n ** 48n - 1n),
	/** Wei per unit of gas: one ETH, a billion times the highest price ever paid. */
	gasPrice: unitsUpTo(10n ** 18n),
	wei: quantity,
	/** Whether a transaction succeeded (EIP-658). There is no third value. */
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
