// Calculates medians, percentiles and ratios of measurements.

/** Returns the smallest value that `percent` of all values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	const rank = Math.ceil((percent / 100) * sorted.length);
	return sorted[Math.max(0, rank - 1)] ?? Number.NaN;
}

/** Returns how far several runs are apart, for a note. */
export function spread(values: readonly number[]): string {
	if (values.length < 2) return "one run";
	const text = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
	return `${values.length} runs, ${text(Math.min(...values))} to ${text(Math.max(...values))}`;
}

/**
 * Returns how the service compares with its reference: the median over pairs that ran one after the
 * other. A machine's state lasts longer than a pair, so each pair had the same.
 */
export function pairedRatio(pairs: readonly { ours: number; theirs: number }[]): {
	value: number;
	ratios: readonly number[];
} {
	const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
	return { value: median(ratios), ratios };
}

/** Returns the middle value; for an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const upper = Math.floor(sorted.length / 2);
	const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
	return (low + (sorted[upper] ?? Number.NaN)) / 2;
}
