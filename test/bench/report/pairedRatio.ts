import { median } from "#test/bench/report/statistics.ts";

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
