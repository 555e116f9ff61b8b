/** What a transaction offers for its gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Nodes want 10 % more than what a transaction replaces offers; an eighth is above that. */
const BUMP_NUMERATOR = 9n;
const BUMP_DENOMINATOR = 8n;

/**
 * Fees at which nodes take a transaction in place of those with the same nonce: today's, and an
 * eighth above each of the others' where that is more.
 */
export function replacementFees(now: Fees, others: readonly Fees[]): Fees {
	const above = (raw: bigint) => (raw * BUMP_NUMERATOR) / BUMP_DENOMINATOR + 1n;
	const most = (fees: readonly bigint[], least: bigint) => {
		return fees.reduce((max, fee) => (above(fee) > max ? above(fee) : max), least);
	};
	const maxPriorityFeePerGas = most(
		others.map((one) => one.maxPriorityFeePerGas),
		now.maxPriorityFeePerGas,
	);
	const maxFeePerGas = most(
		others.map((one) => one.maxFeePerGas),
		now.maxFeePerGas,
	);
	// A tip above the whole price is no transaction.
	const whole = maxFeePerGas > maxPriorityFeePerGas ? maxFeePerGas : maxPriorityFeePerGas;
	return { maxFeePerGas: whole, maxPriorityFeePerGas };
}
