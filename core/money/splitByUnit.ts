/**
 * Splits a total over rows by their units; what does not divide goes to the first row. The rows of
 * a bundle always sum to what was paid for it, so that it adds its exact price to the volume.
 */
export function splitByUnit(total: bigint, quantities: readonly bigint[]): bigint[] {
	const units = quantities.reduce((sum, quantity) => sum + quantity, 0n);
	if (units === 0n) return quantities.map(() => 0n);
	const unitPrice = total / units;
	const remainder = total - unitPrice * units;
	return quantities.map((quantity, index) =>
		index === 0 ? unitPrice * quantity + remainder : unitPrice * quantity,
	);
}
