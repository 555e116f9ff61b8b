/**
 * Splits a total over rows by their units; what does not divide goes to the first row. The rule of
 * the index for bundles: rows always sum to what was paid.
 */
export function splitByUnit(total: bigint, quantities: readonly bigint[]): bigint[] {
	const units = quantities.reduce((sum, quantity) => sum + quantity, 0n);
	if (units === 0n) return quantities.map(() => 0n);
	const perUnit = total / units;
	const remainder = total % units;
	return quantities.map((quantity, row) => perUnit * quantity + (row === 0 ? remainder : 0n));
}
