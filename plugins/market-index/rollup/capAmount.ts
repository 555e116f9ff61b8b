/** The largest whole number that the columns of amounts, `numeric(78)`, hold. */
export const AMOUNT_MAX = 10n ** 78n - 1n;

/**
 * Limits a sum to the most its column takes.
 *
 * One amount below 2^256 always fits, and so do eight: a ninth comes from a contract that lies
 * about its units, and its batch must not stop the lane. Sums with a ceiling still add up to the
 * same in any order.
 */
export function capAmount(sum: bigint): bigint {
	return sum > AMOUNT_MAX ? AMOUNT_MAX : sum;
}
