/**
 * Returns what `remaining` units of an order cost together, where it was signed for `units` at
 * `signedTotal` and the provider says `value`.
 *
 * For an order of one unit that is the value. For more units the provider's document does not say
 * what the value is for (the whole order, its remaining units, one unit), and a floor ten times too
 * high is a wrong figure: so the meaning nearest to the signed price is taken.
 */
export function orderTotal(
	value: bigint,
	order: { units: bigint | null; remaining: bigint; signedTotal: bigint | null },
): bigint {
	const { units, remaining, signedTotal } = order;
	if (!units || units <= 1n || !signedTotal) return value;
	const expected = (signedTotal * remaining) / units;
	const readings = [value, (value * remaining) / units, value * remaining];
	const distance = (reading: bigint) =>
		reading > expected ? reading - expected : expected - reading;
	return readings.reduce((best, reading) => (distance(reading) < distance(best) ? reading : best));
}
