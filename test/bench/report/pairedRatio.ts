import { median } from "#test/bench/report/statistics.ts";

/**
 * How the service compares with its reference: the median over pairs that ran one after the other.
 * A machine's moods last for longer than a pair, so each pair had the same one.
 */
export function pairedRatio(pairs: readonly { ours: number; theirs: number }[]): {
	value: number;
	ratios: readonly number[];
} {
	const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
	return { value: median(ratios), ratios };
}
