/** Holds a block's time in seconds, and its share of the sales and mints of 15 minutes. */
export type BlockTime = { timeS: number; share: Share };
export type Share = { sales: number; mints: number };

const QUARTER_S = 900;
const LAST_HOUR_BLOCKS = 30;
const LAST_HOUR_STEP_S = 120;

/** Returns the times of history's blocks up to now: every 15 minutes, in the last hour closer. */
export function blockTimes(nowS: number, blocks: number): BlockTime[] {
	const close = Math.min(LAST_HOUR_BLOCKS, Math.floor(blocks / 2));
	const closeFromS = nowS - close * LAST_HOUR_STEP_S;
	const far = Array.from({ length: blocks - close }, (_, i) => ({
		timeS: closeFromS - (blocks - close - 1 - i) * QUARTER_S,
		share: { sales: 1, mints: 1 },
	}));
	const near = Array.from({ length: close }, (_, i) => ({
		timeS: closeFromS + (i + 1) * LAST_HOUR_STEP_S,
		share: { sales: 0.4, mints: 0.4 },
	}));
	return [...far, ...near];
}
