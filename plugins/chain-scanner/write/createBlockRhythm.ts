import {
	RESTS_AFTER_GAPS,
	RHYTHM_GAPS,
	RHYTHM_LEAD_MS,
	RHYTHM_LEAD_SHARE,
	RHYTHM_SPREAD_MAX,
} from "#plugins/chain-scanner/limits.ts";

/** When a chain's next block is likely to come, by the times of the last ones. */
export type BlockRhythm = {
	/** Records a new block. */
	came(): void;
	/**
	 * Returns for how many milliseconds from now the next block may come at any moment: 0 where it is
	 * not due yet, is late already, or where blocks come irregularly.
	 */
	dueForMs(): number;
	/**
	 * Returns for how many milliseconds from now no block is likely to come, by the shortest of the
	 * last gaps; infinite where none came for long, or ever.
	 */
	calmForMs(): number;
};

/**
 * Makes a rhythm from the gaps between blocks. Most chains make theirs by the clock, a rollup to
 * the millisecond; where the usual gap varies by more than a fifth nothing is predicted.
 */
export function createBlockRhythm(nowMs: () => number = () => performance.now()): BlockRhythm {
	const gapsMs: number[] = [];
	let lastMs: number | null = null;
	return {
		came() {
			const atMs = nowMs();
			if (lastMs !== null) gapsMs.push(atMs - lastMs);
			if (gapsMs.length > RHYTHM_GAPS) gapsMs.shift();
			lastMs = atMs;
		},
		dueForMs() {
			const gapMs = usualGapMs(gapsMs);
			if (lastMs === null || gapMs === null) return 0;
			const leadMs = Math.min(RHYTHM_LEAD_MS, gapMs * RHYTHM_LEAD_SHARE);
			const lateMs = nowMs() - (lastMs + gapMs);
			return lateMs < -leadMs || lateMs >= leadMs ? 0 : leadMs - lateMs;
		},
		calmForMs() {
			if (lastMs === null || gapsMs.length === 0) return Number.POSITIVE_INFINITY;
			const sinceMs = nowMs() - lastMs;
			if (sinceMs > Math.max(...gapsMs) * RESTS_AFTER_GAPS) return Number.POSITIVE_INFINITY;
			return Math.max(0, Math.min(...gapsMs) - RHYTHM_LEAD_MS - sinceMs);
		},
	};
}

/** Returns the median, where half of the others are near it. */
function usualGapMs(gapsMs: readonly number[]): number | null {
	if (gapsMs.length < RHYTHM_GAPS) return null;
	const gapMs = median(gapsMs);
	const spreadMs = median(gapsMs.map((other) => Math.abs(other - gapMs)));
	return spreadMs <= gapMs * RHYTHM_SPREAD_MAX ? gapMs : null;
}

function median(numbers: readonly number[]): number {
	return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
