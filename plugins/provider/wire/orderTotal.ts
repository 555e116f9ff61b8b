/**
 * What `remaining` units of an order cost together, where it was signed for `units` at `signedTotal`
 * and the provider says `value`.
 *
 * For an order over one unit that is the value. For more the provider's document does not say what
 * the value counts (the order, what is left of it, one unit), and a floor ten times too high is a
 * wrong figure: so the reading is taken that lies nearest to what was signed.
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
